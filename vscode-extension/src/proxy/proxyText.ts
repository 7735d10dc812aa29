/** The chat proxy in words, for the status item and the list behind it. Pure. */
import type { CacheCount, PromptCache, Upstream } from './protocol';
import { ago, duration } from '../view/words';
import { upstreamName, type ProxyState } from './state';

export interface ProxyText {
  readonly line: string;
  /** What can be done about it, as a command of the extension. */
  readonly action?: { readonly title: string; readonly command: string };
}

const chooseUpstream = { title: 'Choose Upstream', command: 'helix.chooseUpstream' } as const;

const states: Readonly<Record<Upstream['state'], string>> = {
  unknown: '',
  up: '',
  refused: ' (refuses its key)',
  failed: ' (lists no models)',
  down: ' (does not answer)',
};

/** Upstream, last request, and how long its first token took; without an upstream, what to do. */
export function proxyText(state: ProxyState, nowSeconds: number): ProxyText {
  switch (state.kind) {
    case 'off':
      return { line: state.reason };
    case 'noUpstream':
      return { line: 'no upstream; choose the server that answers chats', action: chooseUpstream };
    case 'waiting':
      return { line: `to ${names(state.upstreams)} · begins with the first chat` };
    case 'ready': {
      const line = `to ${names(state.upstreams)} · ${lastChat(state, nowSeconds)}${fromCache(state.cache)}`;
      return state.upstreams.some((one) => one.state === 'up') ? { line } : { line, action: chooseUpstream };
    }
  }
}

function names(upstreams: readonly Upstream[]): string {
  return upstreams.map((one) => `${upstreamName(one)}${states[one.state]}`).join(', ');
}

/** How much of the prompts upstreams read from their caches; nothing where none says it. */
function fromCache(cache: PromptCache | undefined): string {
  const told = cache
    ? [share(cache.with_evidence, 'with evidence'), share(cache.without_evidence, 'without')].filter(
        (one) => one !== '',
      )
    : [];
  return told.length === 0 ? '' : ` · from the upstream's cache: ${told.join(', ')}`;
}

function share({ prompt_tokens: all, cached_tokens: cached }: CacheCount, which: string): string {
  return all === 0 ? '' : `${Math.round((100 * cached) / all)} % of the prompts ${which}`;
}

function lastChat({ last }: Extract<ProxyState, { kind: 'ready' }>, nowSeconds: number): string {
  if (!last) {
    return 'no request yet';
  }
  if (last.status >= 400) {
    return `last request to ${last.model} ${ago(last.at, nowSeconds)}, refused with status ${last.status}`;
  }
  const first = last.ttft_ms === null ? 'no token came' : `first token after ${duration(last.ttft_ms)}`;
  return `last request to ${last.model} ${ago(last.at, nowSeconds)}, ${first}`;
}
