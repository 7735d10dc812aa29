/** The chat proxy in words, for the status item and the list behind it. Pure. */
import type { Upstream } from './protocol';
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
      const line = `to ${names(state.upstreams)} · ${lastChat(state, nowSeconds)}`;
      return state.upstreams.some((one) => one.state === 'up') ? { line } : { line, action: chooseUpstream };
    }
  }
}

function names(upstreams: readonly Upstream[]): string {
  return upstreams.map((one) => `${upstreamName(one)}${states[one.state]}`).join(', ');
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
