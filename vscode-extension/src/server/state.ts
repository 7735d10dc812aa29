/** Where the language server stands, as a value. */
import type { Interpreter, Resolution } from '../python/resolve';

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'settingUp' }
  | { readonly kind: 'running'; readonly interpreter: Interpreter }
  /** No interpreter can run Helix; with a `base` a private environment can be made. */
  | { readonly kind: 'noPython'; readonly resolution: Resolution }
  /** The server kept dying, or could not be started. */
  | { readonly kind: 'crashed'; readonly message: string };
