/** The acts in the order in which they are played. */
import type { Act } from '../driver/acts.ts';
import { chats, chatsAlone, chatsByMcp } from './chat.ts';
import { dashboard } from './dashboard.ts';
import { firstLook } from './firstLook.ts';
import { host } from './host.ts';
import { privateEnvironment } from './privateEnvironment.ts';
import { pythons } from './python.ts';
import { recovery } from './recovery.ts';
import { trust } from './trust.ts';
import { truth } from './truth.ts';
import { windows } from './windows.ts';

export const acts: Act[] = [
  firstLook,
  truth,
  chatsAlone,
  chats,
  chatsByMcp,
  dashboard,
  recovery,
  windows,
  trust,
  pythons,
  host,
  privateEnvironment,
];
