/** What a part of the page can do when the user acts: change the page's own state, or ask the extension. */

import type { FromPage } from '../../messages';
import type { Intent } from '../reduce';

export interface Act {
  intend(intent: Intent): void;
  send(message: FromPage): void;
  /** Scrolls a row of the answer into view, and moves the focus to it. */
  goTo(row: string): void;
  /** The same for a part below the rows. */
  goToPart(part: string): void;
}
