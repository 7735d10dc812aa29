/**
 * From what was asked to what is answered: which of the server's answers a command needs, and in which words. Knows
 * nothing of the editor; it asks only the language server, and no model.
 */
import {
  serverCommands,
  type CheckAnswer,
  type CheckRequest,
  type Explanation,
  type IndexReport,
  type Packet,
  type PacketRequest,
  type RefreshPlan,
  type StatusAnswer,
  type SymbolAnswer,
} from '../base/protocol';
import { checkParts } from './checkParts';
import type { ChatCommand } from './followUps';
import { freshParts, planParts, refreshedParts, statusParts } from './freshParts';
import { fullQuestion, type Memory } from './memory';
import { brief, itemsOf, packetParts, whole, type Detail } from './packetParts';
import { text, type ChatPart, type FilePlace } from './parts';
import { namedPlace, namedSymbol } from './places';
import { placesOf, symbolParts } from './symbolParts';
import { whyParts } from './whyParts';

export interface ChatQuestion {
  readonly command: ChatCommand | undefined;
  readonly prompt: string;
  /** What the chat's last answer left behind. */
  readonly last: Memory | undefined;
  /** Uri of the workspace folder the question is about. */
  readonly workspace: string;
  /** A document, and maybe a place in it, that the user attached; else the position of the cursor. */
  readonly pointed: Pointed | undefined;
  /** The last answer of a model of Helix in this window. */
  readonly modelAnswer?: string | undefined;
  /** A selection that the user attached. */
  readonly attachedText?: string | undefined;
}

export interface Pointed {
  readonly uri: string;
  readonly position?: { readonly line: number; readonly character: number };
  /** Attached to the question, not just open. */
  readonly attached: boolean;
  /** The name under the cursor, or the selected text. */
  readonly words: string;
}

export interface Answer {
  readonly parts: readonly ChatPart[];
  readonly memory: Memory | undefined;
}

export interface AnswerNeeds {
  ask<T>(command: string, argument: object): Promise<T>;
  progress(message: string): void;
  nowSeconds(): number;
}

const mostItems = 12;
const mostCharacters = 262_144;
const fewItems = 6;
const nothingToJudge = 'Nothing was asked in this chat yet; ask a question first, or put one behind the command.';

/** Rejects with a sentence fit to be shown. */
export async function answerTo(asked: ChatQuestion, needs: AnswerNeeds): Promise<Answer> {
  switch (asked.command) {
    case undefined:
      return packet(asked, needs, brief, fewItems);
    case 'packet':
      return packet(asked, needs, whole, mostItems);
    case 'explain':
      return explain(asked, needs);
    case 'check':
      return check(asked, needs);
    case 'fresh':
      return fresh(asked, needs);
    case 'why':
      return why(asked, needs);
    case 'refresh':
      return refresh(asked, needs);
  }
}

async function packet(asked: ChatQuestion, needs: AnswerNeeds, detail: Detail, k: number): Promise<Answer> {
  const question = questionOf(asked);
  if (!question) {
    return answerOf(asked, [
      text('Ask about this workspace: a name, a path, what something does, or an error message.'),
    ]);
  }
  const found = await askPacket(asked, needs, question, k);
  const understood = question === asked.prompt.trim() ? [] : [text(`*Understood as: ${plain(question)}*\n\n`)];
  const parts = [...understood, ...packetParts(found, detail, needs.nowSeconds())];
  return { parts, memory: memoryOf(asked, question, itemsOf(found)) };
}

async function explain(asked: ChatQuestion, needs: AnswerNeeds): Promise<Answer> {
  const name = asked.prompt.trim() ? namedSymbol(asked.prompt) : asked.pointed?.words;
  if (name) {
    needs.progress(`Looking up ${plain(name)}`);
    const { workspace } = asked;
    const known = await needs.ask<SymbolAnswer | null>(serverCommands.symbol, { name, workspace });
    if (known && placesOf(known).length > 0) {
      return { parts: symbolParts(known, needs.nowSeconds()), memory: memoryOf(asked, name, placesOf(known)) };
    }
  }
  return packet(name && !asked.prompt.trim() ? { ...asked, prompt: name } : asked, needs, brief, fewItems);
}

async function check(asked: ChatQuestion, needs: AnswerNeeds): Promise<Answer> {
  const wanted = (asked.attachedText ?? '').trim() || asked.prompt.trim() || (asked.modelAnswer ?? '').trim();
  if (!wanted) {
    return answerOf(asked, [
      text('No model of Helix has answered in this window yet; put a text behind the command, or attach a selection.'),
    ]);
  }
  needs.progress('Comparing the references with the files');
  const request: CheckRequest = { text: wanted.slice(0, mostCharacters), workspace: asked.workspace };
  return answerOf(asked, checkParts(await needs.ask<CheckAnswer>(serverCommands.check, request)));
}

async function fresh(asked: ChatQuestion, needs: AnswerNeeds): Promise<Answer> {
  const question = asked.prompt.trim() ? questionOf(asked) : asked.last?.question;
  if (!question) {
    needs.progress('Comparing the index with the disk');
    const status = await needs.ask<StatusAnswer>(serverCommands.status, { workspace: asked.workspace });
    return answerOf(asked, statusParts(folderName(status.workspace), status));
  }
  const found = await askPacket(asked, needs, question, Math.max(fewItems, asked.last?.places.length ?? 0));
  const before = question === asked.last?.question ? asked.last.places : [];
  return { parts: freshParts(found, before), memory: memoryOf(asked, question, itemsOf(found)) };
}

async function why(asked: ChatQuestion, needs: AnswerNeeds): Promise<Answer> {
  const named = namedPlace(asked.prompt, asked.last);
  const about = named ?? pointedPlace(asked) ?? asked.last?.places[0];
  if (!about) {
    return answerOf(asked, [
      text('Say which place: its number in the last answer, or `path:line`; or put the cursor there and ask again.'),
    ]);
  }
  needs.progress('Looking at the place');
  const where = 'uri' in about ? about : { ...about, workspace: asked.workspace };
  const explanation = await needs.ask<Explanation | null>(serverCommands.explain, where);
  if (!explanation) {
    return answerOf(asked, [text('Helix knows nothing about this place: the file does not count, or is new.')]);
  }
  return answerOf(asked, whyParts(explanation));
}

async function refresh(asked: ChatQuestion, needs: AnswerNeeds): Promise<Answer> {
  const { workspace } = asked;
  needs.progress('Bringing the index up to date');
  const report = await needs.ask<IndexReport>(serverCommands.refreshIndex, { workspace });
  const question = asked.prompt.trim() ? questionOf(asked) : asked.last?.question;
  if (!question) {
    return answerOf(asked, [...refreshedParts(report), text(nothingToJudge)]);
  }
  const task = asked.last?.task ?? 'explain';
  const plan = await needs.ask<RefreshPlan>(serverCommands.refreshPlan, { question, task, workspace });
  return answerOf(asked, [...refreshedParts(report), ...planParts(plan, question)]);
}

function questionOf(asked: ChatQuestion): string {
  return asked.prompt.trim() ? fullQuestion(asked.prompt, asked.last) : (asked.pointed?.words ?? '');
}

function askPacket(asked: ChatQuestion, needs: AnswerNeeds, question: string, k: number): Promise<Packet> {
  needs.progress('Looking at the files as they are now');
  const { workspace, pointed } = asked;
  const request: PacketRequest = { question, k, quotes: 'whole', workspace, ...(pointed && { uri: pointed.uri }) };
  return needs.ask<Packet>(serverCommands.packet, request);
}

/** Where a place was named neither by number nor by path: what is attached; the cursor, where nothing was asked before. */
function pointedPlace({ prompt, pointed, last }: ChatQuestion): { uri: string; position: object } | undefined {
  if (!pointed?.position || !(pointed.attached || (last === undefined && !prompt.trim()))) {
    return undefined;
  }
  return { uri: pointed.uri, position: pointed.position };
}

function memoryOf(asked: ChatQuestion, question: string, places: readonly FilePlace[]): Memory {
  const few = places.map(({ source_id, start_line, end_line }) => ({ source_id, start_line, end_line }));
  return { question, task: 'explain', workspace: asked.workspace, places: few };
}

/** An answer that leaves the memory as it was. */
function answerOf(asked: ChatQuestion, parts: readonly ChatPart[]): Answer {
  return { parts, memory: asked.last };
}

function folderName(folder: string): string {
  return folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder;
}

/** A question inside emphasis: nothing in it ends that or becomes a link. */
function plain(words: string): string {
  return words.replace(/[\\`*_{}[\]<>#|!&~]/g, '\\$&').replace(/\s+/g, ' ');
}
