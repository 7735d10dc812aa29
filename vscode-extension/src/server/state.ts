/** The state of the language server, as a value. */
import type { Interpreter, Resolution } from '../python/resolve';

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  /** `step` is what is being done, with a count where there is one. */
  | { readonly kind: 'settingUp'; readonly step?: string }
  | { readonly kind: 'running'; readonly interpreter: Interpreter }
  /** No interpreter can run Helix; with a `base` a private environment can be made. */
  | { readonly kind: 'noPython'; readonly resolution: Resolution }
  /** The server kept dying, or could not be started. */
  | { readonly kind: 'crashed'; readonly message: string };
