/** Models and tools through the editor's own API: what needs no chat view, and what a view cannot show. */
import assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { until } from '../driver/until';
import { fresh, test } from './test';

// The names of the upstream that the driver runs; see driver/upstream.ts.
const CITER = 'cites-places';
const PLAIN = 'plain-words';
const CALLER = 'tool-caller';
const ENDLESS = 'never-ends';
const REFUSING = 'refuses';
const PACKET = 'helix_context_packet';

async function model(id: string): Promise<vscode.LanguageModelChat> {
  await fresh();
  return until('the model is offered', async () => (await vscode.lm.selectChatModels({ vendor: 'helix', id }))[0], {
    withinMs: 20_000,
    everyMs: 200,
  });
}

const say = (text: string): vscode.LanguageModelChatMessage => vscode.LanguageModelChatMessage.User(text);

async function textOf(response: vscode.LanguageModelChatResponse): Promise<string> {
  let text = '';
  for await (const part of response.text) text += part;
  return text;
}

/** The one call a tool-calling model makes when it is asked so. */
async function callOf(question: string): Promise<vscode.LanguageModelToolCallPart> {
  const tools = [{ name: PACKET, description: 'A packet.', inputSchema: { type: 'object' } }];
  const caller = await model(CALLER);
  const response = await caller.sendRequest([say(`use the tool for «${question}»`)], { tools });
  const calls: vscode.LanguageModelToolCallPart[] = [];
  for await (const part of response.stream) if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
  assert.equal(calls.length, 1);
  const [call] = calls;
  assert.ok(call);
  return call;
}

const agentTools = async (value: string | undefined): Promise<void> => {
  await vscode.workspace.getConfiguration('helix').update('agentTools', value, vscode.ConfigurationTarget.Global);
};
const hasTool = (): boolean => vscode.lm.tools.some(({ name }) => name === PACKET);

export const chatTests = [
  test('this editor has every part of the chat API that Helix uses', () => {
    const parts = {
      'chat.createChatParticipant': vscode.chat.createChatParticipant,
      'lm.registerLanguageModelChatProvider': vscode.lm.registerLanguageModelChatProvider,
      'lm.registerTool': vscode.lm.registerTool,
      'lm.registerMcpServerDefinitionProvider': vscode.lm.registerMcpServerDefinitionProvider,
    };
    const absent = Object.entries(parts).flatMap(([name, part]) => (typeof part === 'function' ? [] : [name]));
    assert.deepEqual(absent, []);
  }),

  test('the models are those of the upstream, and one answers as it streams', async () => {
    const plain = await model(PLAIN);
    const offered = await vscode.lm.selectChatModels({ vendor: 'helix' });
    assert.deepEqual(offered.map(({ id }) => id).sort(), [CALLER, CITER, ENDLESS, PLAIN, REFUSING].sort());
    assert.equal(
      await textOf(await plain.sendRequest([say('who signs?')])),
      'A refund gives a payment back, or a part of it.',
    );
    assert.ok((await plain.countTokens('def refund(payment):')) > 3);
  }),

  test('two chats at once never mix the arguments of their tools', async () => {
    const questions = Array.from(
      { length: 8 },
      (_, number) => `question number ${'x'.repeat(number)}${String(number)}`,
    );
    const calls = await Promise.all(questions.map(callOf));
    assert.deepEqual(
      calls.map(({ input }) => (input as { question: string }).question),
      questions,
    );
  }),

  test('a chat that is cancelled ends', async () => {
    const endless = await model(ENDLESS);
    const source = new vscode.CancellationTokenSource();
    const response = await endless.sendRequest([say('go on')], {}, source.token);
    let text = '';
    await assert.rejects(
      async () => {
        for await (const part of response.text) {
          text += part;
          if (text.endsWith('part of it.')) source.cancel();
        }
        if (source.token.isCancellationRequested) throw new vscode.CancellationError();
      },
      // Who cancels nothing is ended by the proxy's limit of silence: two minutes later, with another error.
      { name: new vscode.CancellationError().name },
    );
    assert.match(text, /gives a payment back/);
  }),

  test('a refusal of the upstream is one line with what to do', async () => {
    const refusing = await model(REFUSING);
    await assert.rejects(
      async () => textOf(await refusing.sendRequest([say('hello')])),
      (error: Error) => error.message.endsWith('the model is busy. Ask again in 7 s.') && !error.message.includes('\n'),
    );
  }),

  test('a tool answers with a packet that names no path of this machine', async () => {
    await until('the tool is there', hasTool, { withinMs: 20_000 });
    const call = await callOf('How does a refund work?');
    const result = await vscode.lm.invokeTool(call.name, { input: call.input, toolInvocationToken: undefined });
    const text = result.content
      .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
      .join('');
    assert.match(text, /^confidence 0\.\d+; verified unless marked/);
    assert.match(text, /ledger\/refunds\.py/);
    assert.ok(!text.includes(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '?'));
    const caller = await model(CALLER);
    const messages = [
      say('How does a refund work?'),
      vscode.LanguageModelChatMessage.Assistant([call]),
      vscode.LanguageModelChatMessage.User([new vscode.LanguageModelToolResultPart(call.callId, result.content)]),
    ];
    assert.match(await textOf(await caller.sendRequest(messages)), /The tool found ledger\/refunds\.py\./);
  }),

  test('a wrong argument is refused in a sentence', async () => {
    await assert.rejects(
      async () =>
        vscode.lm.invokeTool('helix_open', { input: { source_id: '../../x' }, toolInvocationToken: undefined }),
      (error: Error) => error.message.length < 400 && !error.message.includes('Traceback'),
    );
  }),

  test('the tools go when they come by MCP or not at all, and come back', async () => {
    // The list keeps what the manifest names; whether somebody answers is what counts.
    const answers = async (): Promise<boolean> => {
      const asked = vscode.lm.invokeTool('helix_status', { input: {}, toolInvocationToken: undefined });
      return asked.then(
        () => true,
        () => false,
      );
    };
    const gone = async (): Promise<boolean> => !(await answers());
    await agentTools('mcp');
    await until('they are gone', gone, { withinMs: 10_000 });
    await agentTools('tools');
    await until('they are back', answers, { withinMs: 10_000 });
    await agentTools('off');
    await until('they are gone', gone, { withinMs: 10_000 });
    await agentTools(undefined);
    await until('they are back', answers, { withinMs: 10_000 });
  }),
];
