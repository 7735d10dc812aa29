/** What can be done with the pointers of the shown packet: open, explain, copy. */

import * as vscode from 'vscode';
import { reasonOf, type Logger } from '../base/logger';
import type { PacketSource } from './packetSource';
import type { LineSpan, Packet } from '../base/protocol';
import { itemMarkdown, packetMarkdown } from './markdown';
import type { CopyForm, OpenPlace } from './messages';
import { Opener, type OpenRequest } from './open';
import type { PageLink } from './pageLink';
import { Comparer } from './compare';
import { linesOf, shown as visible } from './shown';
import { currentSpan, itemKey, itemsOf, type LiveItem } from './verdicts';

export class PointerActs implements vscode.Disposable {
  private readonly opener = new Opener();
  private readonly comparer = new Comparer();

  constructor(
    private readonly source: PacketSource,
    private readonly link: PageLink,
    private readonly logger: Logger,
    private readonly packet: () => Packet | undefined,
  ) {}

  async open(place: OpenPlace, keepFocus: boolean): Promise<void> {
    const found = this.place(place);
    if (found === undefined) return;
    try {
      await this.opener.open({ ...found, keepFocus });
    } catch (error) {
      const message = `Cannot open ${visible(found.uri.fsPath)}: ${reasonOf(error)}`;
      this.logger.warn(message);
      this.link.tell({ type: 'said', text: message });
    }
  }

  async compare(key: string): Promise<void> {
    const item = this.item(key);
    if (item === undefined) return;
    const uri = vscode.Uri.parse(item.uri, true);
    try {
      await this.comparer.compare(uri, currentSpan(item) ?? item, linesOf(item.quote));
    } catch (error) {
      const message = `Cannot compare ${visible(uri.fsPath)}: ${reasonOf(error)}`;
      this.logger.warn(message);
      this.link.tell({ type: 'said', text: message });
    }
  }

  async explain(key: string): Promise<void> {
    const [packet, item] = [this.packet(), this.item(key)];
    if (packet === undefined || item === undefined) return;
    const about = { workspace: vscode.Uri.file(packet.workspace).toString(), task: packet.task_type };
    try {
      const explanation = await this.source.explain({ ...item, ...explained(item) }, about);
      this.link.tell({ type: 'explained', key, explanation });
    } catch (error) {
      this.link.tell({ type: 'notExplained', key, message: reasonOf(error) });
    }
  }

  /** How the packet shown as `id` came about. Requested only when it is opened. */
  async explainAnswer(id: string): Promise<void> {
    const packet = this.packet();
    if (packet === undefined) return;
    try {
      const ranking = await this.source.explainAnswer(packet, vscode.Uri.file(packet.workspace).toString());
      this.link.tell({ type: 'ranked', id, ranking });
    } catch (error) {
      this.link.tell({ type: 'notRanked', id, message: reasonOf(error) });
    }
  }

  async copyPacket(form: CopyForm): Promise<void> {
    const packet = this.packet();
    if (packet === undefined) return;
    const json = (): string => JSON.stringify(packet, null, 2);
    await this.copy(form === 'json' ? json() : packetMarkdown(packet, Date.now() / 1000), form);
  }

  async copyItem(key: string): Promise<void> {
    const item = this.item(key);
    if (item !== undefined) await this.copy(itemMarkdown(item, Date.now() / 1000), key);
  }

  dispose(): void {
    this.opener.dispose();
    this.comparer.dispose();
  }

  private async copy(text: string, what: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
    this.link.tell({ type: 'copied', what });
  }

  private item(key: string): LiveItem | undefined {
    const packet = this.packet();
    return packet && itemsOf(packet).find((item) => itemKey(item) === key);
  }

  private place(place: OpenPlace): Omit<OpenRequest, 'keepFocus'> | undefined {
    if ('key' in place) {
      const item = this.item(place.key);
      return item && pointed(item);
    }
    const shown = this.packet()?.workspace ?? '';
    const folder = place.workspace === undefined ? vscode.Uri.file(shown) : vscode.Uri.parse(place.workspace);
    if (place.workspace === undefined && shown === '') return undefined;
    const uri = vscode.Uri.joinPath(folder, ...place.source_id.split('/'));
    return { uri, span: place, quote: '', inBuffer: false };
  }
}

function pointed(item: LiveItem): Omit<OpenRequest, 'keepFocus'> {
  const span = currentSpan(item) ?? item;
  return { uri: vscode.Uri.parse(item.uri, true), span, quote: item.quote, inBuffer: item.buffer !== undefined };
}

/** The lines that name the item to the server: those of the packet while it is there, else the current ones. */
function explained(item: LiveItem): LineSpan {
  return item.reason === 'unlocated' ? item : (item.now ?? item);
}
