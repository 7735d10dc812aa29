import type * as vscode from 'vscode';
import type { Documents } from '../base/documents';
import type { Logs } from '../base/logger';
import type { PacketRequest } from '../base/protocol';
import type { DashboardPanel } from '../dashboard/dashboardPanel';
import type { HintView } from '../hints/hintView';
import type { MemoryView } from '../memory/memoryView';
import type { TrailBox } from '../memory/trailBox';
import type { Proxy } from '../proxy/proxy';
import type { Server } from '../server/server';
import type { PlaceVerdict } from '../view/messages';
import type { ModelAnswer, ModelAnswers } from '../view/modelAnswers';
import type { Setup } from './setup';

/** What the commands work with. */
export interface CommandNeeds {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly proxy: Proxy;
  readonly setup: Setup;
  readonly documents: Documents;
  readonly logs: Logs;
  readonly hints: HintView;
  readonly memories: MemoryView;
  readonly trail: TrailBox;
  readonly dashboard: DashboardPanel;
  /** A folder of our own that exists, for processes to start in. */
  readonly cwd: string;
  /** Asks and shows the packet in the packet view. */
  showPacket(request: PacketRequest): Promise<void>;
  /** The answers of Helix's models in this window. */
  readonly answers: ModelAnswers;
  /** Shows what a model was sent, and what of its answer is wrong. */
  showAnswer(answer: ModelAnswer): Promise<void>;
  /** Shows in the packet view why a place has its verdict; the focus stays where it is. */
  showVerdict(verdict: PlaceVerdict): Promise<void>;
  /** Shows in the packet view how its answer came about; false where it has none. */
  explainAnswer(): Promise<boolean>;
}
