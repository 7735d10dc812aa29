/**
 * The model that is offered while no upstream offers one: it answers with Helix's evidence and no language model. The editor
 * asks no chat participant, `@helix` neither, before there is some model to choose.
 */
import { packetParts, whole } from '../chat/packetParts';
import type { Packet } from '../base/protocol';
import { code } from '../view/markdown';
import { messageText, type EditorMessage } from './messages';
import type { OfferedModel } from './offered';

export const evidenceOnly: OfferedModel = {
  id: 'helix-evidence-only',
  name: 'Evidence only',
  family: 'helix',
  version: '1',
  detail: 'no language model',
  tooltip: 'Places in this workspace with their verdicts. No language model: choose one with “Helix: Choose Upstream”.',
  maxInputTokens: 32_768,
  maxOutputTokens: 4_096,
  capabilities: { toolCalling: true, imageInput: false },
};

const user = 1;
const longest = 600;
const hint = '*No language model answers here; choose the server of one with “Helix: Choose Upstream”.*\n';

/** The last thing the user asked: what the editor's own tags about it contain, else the whole message. */
export function questionIn(messages: readonly EditorMessage[]): string {
  const said = messages.filter(({ role }) => role === user).map(messageText);
  const tagged = said.map((text) => /<userRequest>\s*([\s\S]*?)\s*<\/userRequest>/.exec(text)?.[1]).findLast(Boolean);
  return (tagged ?? said.at(-1) ?? '').replace(/\s+/g, ' ').trim().slice(0, longest);
}

export function evidenceText(packet: Packet, nowSeconds: number): string {
  const parts = packetParts(packet, whole, nowSeconds).map((part) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'place':
        return code(`${part.place.source_id}:${part.place.start_line}-${part.place.end_line}`);
      case 'button':
        return '';
    }
  });
  return `${parts.join('')}\n${hint}`;
}
