/** The packet view's source, answered by the language server. */
import type { CancellationToken } from 'vscode';
import type { PacketSource } from './packetSource';
import {
  serverCommands,
  type AnswerExplanation,
  type Explanation,
  type Packet,
  type RefreshPlan,
} from '../base/protocol';
import type { Server } from '../server/server';
import { missingOf } from './missing';

export function packetSource(server: Server): PacketSource {
  return {
    // People read the quotes: none is shortened for what it would cost a model.
    packet: (request, token?: CancellationToken) =>
      server.ask<Packet>(serverCommands.packet, { quotes: 'whole', ...request }, token),
    close: async (packetId) => {
      // A packet does not outlive its server: where none runs there is nothing to close.
      if (server.state.kind === 'running') {
        await server.ask(serverCommands.closePacket, { packet_id: packetId });
      }
    },
    explain: (item, about) =>
      server.ask<Explanation>(serverCommands.explain, {
        source_id: item.source_id,
        start_line: item.start_line,
        end_line: item.end_line,
        symbol: item.symbol,
        ...about,
      }),
    explainAnswer: (packet, workspace) =>
      server.ask<AnswerExplanation>(serverCommands.explain, {
        ...(packet.packet_id !== undefined && { packet_id: packet.packet_id }),
        question: packet.query,
        task: packet.task_type,
        k: Math.max(packet.accounting.returned, 1),
        workspace,
      }),
    refreshPlan: (packetId) => server.ask<RefreshPlan>(serverCommands.refreshPlan, { packet_id: packetId }),
    onVerdicts: server.onVerdicts,
    onStatus: server.onStatus,
    onMissing: server.onState,
    missing: () => missingOf(server.state),
    statuses: () => server.statuses(),
    session: () => server.session,
  };
}
