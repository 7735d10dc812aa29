/** The editor's own chat: `@helix` without any model, the provider's models, tools, and what is seen of it. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { type Act, scenario } from '../driver/acts.ts';
import { Chat, SignInError } from '../driver/chat.ts';
import type { Run, Stage } from '../driver/stage.ts';
import { until } from '../driver/until.ts';
import { CALLER, CITED, CITER, ENDLESS, PLAIN, REFUSING, Upstream } from '../driver/upstream.ts';
import { PacketView } from '../driver/packetView.ts';
import type { EditorWindow } from '../driver/window.ts';
import { openStage, WITH_PYTHON } from './opening.ts';

const QUESTION = 'How does a refund work?';
/** One that leads to code in the fixture, and to no document first. */
const CODE_QUESTION = 'refund_payment';
/** The start of what PLAIN answers. */
const ANSWERED = /A refund gives a payment back/;

let upstream: Upstream;

async function chat(stage: Stage): Promise<Chat> {
  await stage.status(/fresh/i);
  const view = new Chat(await stage.window());
  await view.begin();
  return view;
}

/** No upstream, no account: nothing that could be a language model. */
async function answersWithoutModel(stage: Stage): Promise<void> {
  await stage.status(/fresh/i);
  const window = await stage.window();
  const fresh = new Chat(window);
  await fresh.show();
  assert.doesNotMatch(await fresh.model(), /Evidence only/, 'no model of a fresh profile');
  await window.run('Helix: Chat Without a Language Model');
  const view = await chat(stage);
  assert.match(await view.models(), /Evidence only/);
  const text = await view.ask(`@helix ${QUESTION}`, /Show in Packet View/);
  assert.match(text, /✓ \d+ verified/);
  assert.match(text, /Stale risk – may mislead[\s\S]*– describes code that changed/);
  assert.doesNotMatch(text, /unchanged since|last changed/, 'a place says only what is wrong with it');
  assert.match(text, /refunds\.py:17\s*–26/);
  await view.followUp('Is it still true?').waitFor();
  const label = await view.open('refunds.py');
  const first = Number(/refunds\.py:(\d+)$/.exec(label.trim())?.[1]);
  assert.ok(first > 0, `the link says its line: ${label}`);
  const cursor = async (): Promise<boolean> => (await window.cursorLine()) === first;
  await until(`the cursor is in the first line of ${label}`, cursor, { withinMs: 10_000 });
  assert.equal(await window.selected(), '', 'the next key typed replaces nothing');
  await view.toTop();
  await stage.picture('chat');
  assert.equal(upstream.asked.length, 0, 'no model was asked');
}

async function remembers(stage: Stage): Promise<void> {
  const view = await chat(stage);
  await view.ask(`@helix ${QUESTION}`, /verified/);
  const tests = await view.ask('@helix and its tests?', /Understood as/);
  assert.match(tests, /Understood as: How does a refund work: tests/);
  assert.match(await view.ask('@helix /why 1', /SHA-256/), /which decided/);
  await stage.picture('chat-why');
  assert.match(await view.ask('@helix /fresh', /looked at just now/), /verified/);
  assert.match(await view.ask('@helix /refresh', /index is up to date/), /read again/i);
  assert.match(await view.ask(`@helix /explain ${CODE_QUESTION}`, /Used/), /Defined \(1\)[\s\S]*Tested/);
  assert.match(await view.ask(`@helix /packet ${CODE_QUESTION}`, /verified/), /def refund_payment/);
  assert.equal(upstream.asked.length, 0, 'no model was asked');
}

const prepared = new WeakSet<EditorWindow>();

/** An empty chat with one of the upstream's models; the editor's agent that carries it is enabled once in a profile. */
async function chatWith(stage: Stage, model: string): Promise<Chat> {
  const window = await stage.window();
  if (!prepared.has(window)) await oneTimeStep(stage, window);
  prepared.add(window);
  const view = await chat(stage);
  await view.choose(model);
  return view;
}

async function oneTimeStep(stage: Stage, window: EditorWindow): Promise<void> {
  await stage.status(/fresh/i);
  await window.run('Chat: Manage Language Models');
  const list = window.page.locator('.models-widget');
  await list.getByText(PLAIN).first().waitFor();
  await stage.picture('chat-models');
  await window.page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await awakens(stage);
}

/** The agent wakes up in its own time, and until then asks for an account. */
async function awakens(stage: Stage): Promise<void> {
  const awake = async (): Promise<boolean> => {
    const view = await chat(stage);
    await view.choose(PLAIN);
    try {
      await view.ask('hello', ANSWERED);
      return true;
    } catch (error) {
      if (error instanceof SignInError) await view.declineToSignIn();
      throw error;
    }
  };
  await until('the agent answers', awake, { withinMs: 120_000, everyMs: 1_000 });
}

async function plainChat(stage: Stage): Promise<void> {
  const view = await chatWith(stage, PLAIN);
  await view.ask(QUESTION, ANSWERED);
  const sent = upstream.asked.at(-1);
  assert.equal(sent?.model, PLAIN);
  assert.match(JSON.stringify(sent.messages), /Evidence from the user's workspace[\s\S]*refunds\.py/);
}

async function evidenceBelow(stage: Stage): Promise<void> {
  const view = await chatWith(stage, CITER);
  const began = performance.now();
  const text = await view.ask(QUESTION, /that Helix sent[\s\S]*the file has \d+ lines/);
  stage.measure('question -> footer below its answer', performance.now() - began);
  assert.match(text, /✓ \d+ verified[\s\S]*\d+ places? that Helix sent · ⚠ 1 of 2 references is wrong:/);
  assert.match(text, /ledger\/refunds\.py:9000\s*– the file has \d+ lines/);
  await stage.picture('chat-evidence');
  const window = await stage.window();
  await view.follow('that Helix sent');
  const page = new PacketView(window);
  const rows = await page.answered(QUESTION);
  assert.ok(rows.length > 0 && rows.some(({ where }) => where.includes('refunds.py')), JSON.stringify(rows));
  const frame = await page.page();
  const references = await frame.locator('section.part', { hasText: 'References of the answer' }).innerText();
  assert.match(references, /1 wrong[\s\S]*2 references checked[\s\S]*ledger\/refunds\.py:9000/);
  await window.openFile('ledger/refunds.py', 17);
  assert.equal(await window.page.getByText('Set BYOK utility models').count(), 0, 'nothing but Helix is shown');
  await stage.picture('chat-evidence-view');
  await window.run('View: Close All Editors');
  assert.match(await view.ask('@helix /check', /references? (is|are) wrong/), /ledger\/refunds\.py:9000/);
  await stage.picture('chat-check');
  await view.ask('and who calls it?', /that Helix sent/);
  const answers = upstream.asked.at(-1)?.messages.filter(({ role }) => role === 'assistant') ?? [];
  assert.ok(answers.length > 0, 'the second turn has the first answer');
  assert.equal(JSON.stringify(answers).includes('that Helix sent'), false, JSON.stringify(answers));
  assert.ok(
    answers.some(({ content }) => content === CITED),
    JSON.stringify(answers),
  );
}

async function toolRoundTrip(stage: Stage): Promise<void> {
  const view = await chatWith(stage, CALLER);
  const before = upstream.asked.length;
  await view.ask(QUESTION, /The tool found ledger\/refunds\.py\./);
  const asked = upstream.asked.slice(before).filter(({ model }) => model === CALLER);
  const names = (asked[0]?.tools ?? []).map((tool) => tool.function.name).filter((name) => name.includes('helix_'));
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.includes('helix_context_packet') && !names.some((name) => name.startsWith('mcp_')), names.join());
  const result = asked.at(-1)?.messages.findLast(({ role }) => role === 'tool');
  assert.match(JSON.stringify(result?.content), /ledger\/refunds\.py:17-26 refund_payment/);
  assert.ok(!JSON.stringify(result?.content).includes(stage.target), 'no absolute path');
  await stage.picture('chat-tool');
}

async function toolsByMcp(stage: Stage): Promise<void> {
  const view = await chatWith(stage, CALLER);
  // The server is started with the first chat, and its tools are there for the next.
  const names = await until(
    'the tools come by MCP',
    async () => {
      const before = upstream.asked.length;
      await view.ask(`${QUESTION} ${String(before)}`, /The tool found|No tool of Helix/);
      const tools = upstream.asked[before]?.tools?.map((tool) => tool.function.name) ?? [];
      const ours = tools.filter((name) => name.includes('helix_'));
      return ours.length > 0 ? ours : undefined;
    },
    { withinMs: 60_000 },
  );
  assert.deepEqual(
    names.filter((name) => !name.startsWith('mcp_')),
    [],
    'and no other way',
  );
  assert.ok(names.some((name) => name.endsWith('helix_context_packet')));
  assert.match(await view.ask(`${QUESTION} Say it`, /The tool found/), /The tool found ledger\/refunds\.py/);
}

async function cancelled(stage: Stage): Promise<void> {
  const view = await chatWith(stage, ENDLESS);
  await view.send('go on');
  const sent = await until('the upstream is asked', () => upstream.asked.find(({ model }) => model === ENDLESS), {
    withinMs: 20_000,
  });
  await view.answering(ANSWERED);
  assert.equal(sent.left, false);
  const began = performance.now();
  await view.stop();
  await until('the upstream is left', () => sent.left, { withinMs: 5_000, everyMs: 5 });
  stage.measure('chat stopped -> upstream left', performance.now() - began);
}

async function refused(stage: Stage): Promise<void> {
  const view = await chatWith(stage, REFUSING);
  const text = await view.ask('hello', /the model is busy/);
  assert.match(text, /the model is busy\. Ask again in 7 s\./);
  assert.ok(!/ at \w+.*\.js:\d+/.test(text), 'no stack');
}

async function tooltip(stage: Stage): Promise<void> {
  const view = await chatWith(stage, PLAIN);
  await view.ask('hello', ANSWERED);
  const window = await stage.window();
  const shown = await window.statusTooltip('first token after');
  assert.match(shown, /Chat — to 127\.0\.0\.1:\d+ · last request to plain-words .*first token after [\d.]+ m?s/);
  await stage.picture('chat-tooltip');
  await window.leave();
}

/** Names of no model, for VS Code's own small requests: else a notice above the chat's box asks for them. */
const NO_UTILITY_MODELS = { 'chat.utilityModel': 'none/none', 'chat.utilitySmallModel': 'none/none' };

/** `upstream` is there in both, so that it can be said that nobody asked it. */
async function open(
  run: Run,
  name: string,
  environment: Record<string, string>,
  settings: Record<string, unknown> = {},
): Promise<Stage> {
  const { stage } = await openStage(run, name, {
    environment,
    settings: { ...WITH_PYTHON, 'chat.disableAIFeatures': false, ...NO_UTILITY_MODELS, ...settings },
  });
  stage.atEnd(() => {
    upstream.stop();
  });
  return stage;
}

async function choosesUpstream(stage: Stage): Promise<void> {
  await stage.status(/fresh/i);
  const window = await stage.window();
  const text = await window.statusTooltip('no upstream');
  assert.match(text, /Choose Upstream/);
  await stage.picture('no-upstream');
  await window.leave();
  await window.choose('Helix: Choose Upstream', 'Another Address…');
  await window.answer(upstream.url, 'Address of an OpenAI-compatible server');
  const began = performance.now();
  await until(
    'it is said where chats go',
    async () => (await window.notifications()).some(({ message }) => message.includes(`Chats go to ${upstream.url}`)),
    { withinMs: 30_000 },
  );
  await window.page.locator('.notification-toast .monaco-button', { hasText: 'Show Models' }).click();
  const list = window.page.locator('.models-widget');
  await list.getByText(PLAIN).first().waitFor();
  await window.page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await window.run('Notifications: Clear All Notifications'); // it covers the picker
  const view = await chat(stage);
  await view.choose(CALLER);
  stage.measure('upstream chosen -> its models in the picker', performance.now() - began);
  const settings = fs.readFileSync(path.join(stage.server.root, 'helix.toml'), 'utf8');
  assert.equal(settings, `[proxy]\nupstream = "${upstream.url}"\n`);
  assert.ok(!fs.existsSync(path.join(stage.target, '.vscode')), 'nothing in the workspace');
  await awakens(stage);
}

async function configurationOf(stage: Stage): Promise<void> {
  const window = await stage.window();
  await window.run('Notifications: Clear All Notifications');
  await window.run('Helix: Copy Configuration for Codex');
  const [told] = await until(
    'it is said where it goes',
    async () => {
      const shown = await window.notifications();
      return shown.length > 0 ? shown : undefined;
    },
    { withinMs: 20_000 },
  );
  assert.match(
    told?.message ?? '',
    /Copied the configuration for Codex; it goes into \.codex\/config\.toml in the workspace/,
  );
}

export const chatsAlone: Act = {
  name: 'the chat without a model',
  open: async (run) => {
    upstream = await Upstream.start();
    return open(run, 'alone', {});
  },
  scenarios: [
    scenario('@helix answers on a fresh profile, and its places open at the lines', answersWithoutModel, 90_000),
    scenario('@helix leans on the last question, and its commands answer', remembers, 180_000),
    scenario('the tooltip says what is missing, and a chosen upstream brings its models', choosesUpstream, 240_000),
    scenario('the configuration of another client is copied', configurationOf),
  ],
};

export const chats: Act = {
  name: 'the chat with models',
  open: async (run) => {
    upstream = await Upstream.start();
    return open(run, 'chat', { HELIX_UPSTREAM: upstream.url });
  },
  scenarios: [
    scenario('a model of the upstream answers plain chat with evidence, after the one-time step', plainChat, 180_000),
    scenario('an answer ends with what was sent and what is wrong in it', evidenceBelow, 180_000),
    scenario('a tool call of the model goes to Helix and back', toolRoundTrip, 180_000),
    scenario('a chat that is stopped leaves the upstream', cancelled, 180_000),
    scenario('a refusal of the upstream is shown in one line with what to do', refused, 180_000),
    scenario('the tooltip tells the upstream, the last request and its first token', tooltip, 180_000),
  ],
};

export const chatsByMcp: Act = {
  name: 'the chat by MCP',
  open: async (run) => {
    upstream = await Upstream.start();
    return open(run, 'mcp', { HELIX_UPSTREAM: upstream.url }, { 'helix.agentTools': 'mcp' });
  },
  scenarios: [scenario('the same tools come by MCP, and never both at once', toolsByMcp, 240_000)],
};
