/** What the proxy says of itself, as `helix.proxy` carries it; field names are those of the wire. */

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
}

/** `helix.proxy/1`. What says where it listens is there only while it runs. */
export interface ProxyAnswer {
  readonly schema: 'helix.proxy/1';
  readonly running: boolean;
  readonly url?: string;
  readonly port?: number;
  readonly api_key?: string;
  readonly upstreams: readonly Upstream[];
  readonly models: readonly { readonly id: string; readonly upstream: string }[];
  readonly last_request: LastChat | null;
}

/** Arguments of `helix.proxy`. */
export interface ProxyRequest {
  readonly workspace?: string;
  /** The window has come to the front. */
  readonly focused?: boolean;
  /** Begin to listen where it does not yet. */
  readonly start?: boolean;
}
