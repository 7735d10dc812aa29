/** What the proxy says of itself, as `helix.proxy` carries it; field names are those of the wire. */
import type { ProxySettings } from '../base/protocol';

/** A model server that the proxy sends chats to, and how it was last seen. */
export interface Upstream {
  readonly name: string;
  readonly url: string;
  readonly state: 'unknown' | 'up' | 'refused' | 'failed' | 'down';
}

/** The chat that began last: Unix seconds, and milliseconds to the first byte of its answer, null before that. */
export interface LastChat {
  readonly at: number;
  readonly model: string;
  readonly upstream: string;
  /** What became of its evidence: added, none, off, late or failed. */
  readonly context: string;
  /** 0 while there is no answer. */
  readonly status: number;
  readonly ttft_ms: number | null;
  /** Tokens of the prompt as the upstream counts them, and of them those read from its cache; null where it says nothing. */
  readonly prompt_tokens?: number | null;
  readonly cached_tokens?: number | null;
}

/** What upstreams said of their prompt caches, over all answers that say it. */
export interface CacheCount {
  readonly answers: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
}

export interface PromptCache {
  readonly with_evidence: CacheCount;
  readonly without_evidence: CacheCount;
}

/** `helix.proxy/1`. What says where it listens is there only while it runs. */
export interface ProxyAnswer {
  readonly schema: 'helix.proxy/1';
  readonly running: boolean;
  /** Modules that it lacks to begin; only while it does not run. */
  readonly missing?: readonly string[];
  readonly url?: string;
  readonly port?: number;
  readonly api_key?: string;
  readonly upstreams: readonly Upstream[];
  readonly models: readonly { readonly id: string; readonly upstream: string }[];
  readonly last_request: LastChat | null;
  readonly prompt_cache?: PromptCache;
}

/** Arguments of `helix.proxy`; a window that gives settings says all it has each time. */
export interface ProxyRequest extends ProxySettings {
  readonly workspace?: string;
  /** The window has come to the front. */
  readonly focused?: boolean;
  /** Begin to listen where it does not yet. */
  readonly start?: boolean;
}
