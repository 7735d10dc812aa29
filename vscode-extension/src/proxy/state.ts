/** What is known of the chat proxy, read from its answer. Pure: no address but this machine's own is ever believed. */
import type { LastChat, PromptCache, ProxyAnswer, Upstream } from './protocol';

export interface Endpoint {
  readonly port: number;
  readonly key: string;
}

export type ProxyState =
  /** `isMissing`: it was not installed with Helix. */
  | { readonly kind: 'off'; readonly reason: string; readonly isMissing?: boolean }
  | { readonly kind: 'noUpstream' }
  /** It begins with the first that needs it. */
  | { readonly kind: 'waiting'; readonly upstreams: readonly Upstream[] }
  | {
      readonly kind: 'ready';
      readonly endpoint: Endpoint;
      readonly upstreams: readonly Upstream[];
      readonly models: readonly string[];
      readonly last: LastChat | undefined;
      readonly cache?: PromptCache | undefined;
    };

export function proxyState(answer: ProxyAnswer): ProxyState {
  if ((answer.schema as string) !== 'helix.proxy/1') {
    return { kind: 'off', reason: 'This Helix server has no chat proxy; update Helix.' };
  }
  const { upstreams } = answer;
  if (upstreams.length === 0) {
    return { kind: 'noUpstream' };
  }
  if (!answer.running && answer.missing?.length) {
    return {
      kind: 'off',
      reason: 'The chat proxy is not installed; run “Helix: Install Chat Proxy”.',
      isMissing: true,
    };
  }
  if (!answer.running) {
    return { kind: 'waiting', upstreams };
  }
  const endpoint = endpointOf(answer);
  if (!endpoint) {
    return { kind: 'off', reason: 'The chat proxy names no address on this machine; run “Helix: Restart”.' };
  }
  const models = answer.models.map(({ id }) => id);
  return {
    kind: 'ready',
    endpoint,
    upstreams,
    models,
    last: answer.last_request ?? undefined,
    cache: answer.prompt_cache,
  };
}

/** Whether two states offer the same models: the last request does not count. */
export function offersTheSame(one: ProxyState, other: ProxyState): boolean {
  const offered = (state: ProxyState): string =>
    JSON.stringify(
      state.kind === 'ready'
        ? [state.endpoint, state.models]
        : state.kind === 'waiting'
          ? ['waiting', state.upstreams.map(({ url }) => url)]
          : [state.kind],
    );
  return offered(one) === offered(other);
}

/** The name the user gave it; the only one is called by its address. */
export function upstreamName({ name, url }: Upstream): string {
  return name !== 'default' && name !== '' ? name : URL.canParse(url) ? new URL(url).host : url;
}

/** Where it listens, whether it has an upstream or not; only this machine's own address gets the key. */
export function endpointOf({ url = '', api_key: key = '' }: ProxyAnswer): Endpoint | undefined {
  if (key === '' || !URL.canParse(url)) {
    return undefined;
  }
  const { hostname, port, protocol } = new URL(url);
  return protocol === 'http:' && hostname === '127.0.0.1' && port !== '' ? { port: Number(port), key } : undefined;
}
