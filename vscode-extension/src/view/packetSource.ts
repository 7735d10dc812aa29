import type { CancellationToken, Event } from 'vscode';
import type {
  AnswerExplanation,
  Explanation,
  LiveStatus,
  Packet,
  PacketItem,
  PacketRequest,
  RefreshPlan,
  TaskType,
  VerdictsParams,
} from '../base/protocol';
import type { Missing } from './messages';

/**
 * What the packet view needs of the language server, and nothing more.
 *
 * A failure rejects with an `Error` whose message names the cause and the next action, ready to be shown.
 */
export interface PacketSource {
  packet(request: PacketRequest, token?: CancellationToken): Promise<Packet>;
  /** Ends the verdict changes of an open packet; one that is not open any more is not an error. */
  close(packetId: string): Promise<void>;
  explain(item: PacketItem, about: { readonly workspace: string; readonly task?: TaskType }): Promise<Explanation>;
  /** How a packet came about: as it was asked while it is open, else as its question is answered now. */
  explainAnswer(packet: Packet, workspace: string): Promise<AnswerExplanation>;
  refreshPlan(packetId: string): Promise<RefreshPlan>;
  readonly onVerdicts: Event<VerdictsParams>;
  readonly onStatus: Event<LiveStatus>;
  readonly onMissing: Event<unknown>;
  /** What keeps the server from running; null where it runs or is starting. */
  missing(): Missing | null;
  /** The last status of each workspace folder. Empty while no server runs. */
  statuses(): readonly LiveStatus[];
  /** Another number for each server that was started: packets open in an earlier one are open no more. */
  session(): number;
}
