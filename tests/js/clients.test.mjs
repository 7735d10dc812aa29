// The official JavaScript client against the real server process and the scripted upstream of the Python tests.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import OpenAI from 'openai';

import { apart, end, start } from './started.mjs';

const messages = [{ role: 'user', content: 'where are session cookies signed?' }];
let folder, upstream, client;

async function heard() {
  const answer = await fetch(`${new URL(upstream.base).origin}/heard`);
  return answer.json();
}

async function until(look, what) {
  const deadline = Date.now() + 60_000;
  while (!(await look())) {
    assert.ok(Date.now() < deadline, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function chunks(stream) {
  const found = [];
  for await (const chunk of stream) {
    found.push(chunk);
  }
  return found;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helix-js-'));
  writeFileSync(join(folder, 'sessions.py'), 'def sign_cookie(payload):\n    """Sign the session cookie."""\n    return payload\n');
  const environment = { ...apart(folder), HELIX_UPSTREAM_KEY: 'sk-upstream' };
  upstream = await start({}, '-m', 'tests.proxy.upstream');
  environment.HELIX_UPSTREAM = upstream.base;
  await start(environment, '-m', 'helix_ls.cli', 'serve', folder, '--port', '0', '--json');
  const connected = await start(environment, '-m', 'helix_ls.cli', 'connect', 'openai', '--json', '--path', folder);
  client = new OpenAI({ baseURL: connected.base_url, apiKey: connected.api_key, maxRetries: 0 });
});

after(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

test('a chat in one piece has evidence before its question', async () => {
  const { data, response } = await client.chat.completions.create({ model: 'plain', messages }).withResponse();
  assert.equal(data.choices[0].message.content, 'all');
  assert.equal(response.headers.get('x-helix-context'), 'added');
  const sent = (await heard()).bodies.at(-1).messages;
  assert.equal(sent.length, 2);
  assert.match(sent[0].content, /def sign_cookie/);
  assert.deepEqual(sent[1], messages[0]);
});

test('a stream comes in its chunks, with its usage and its end', async () => {
  const found = await chunks(await client.chat.completions.create({ model: 'usage', messages, stream: true }));
  assert.equal(found.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), 'The key signs it all.');
  assert.equal(found.at(-1).usage.total_tokens, 8);
  assert.equal(found.at(-2).choices[0].finish_reason, 'stop');
});

test('the helper that gathers a stream gets the same', async () => {
  const stream = client.chat.completions.stream({ model: 'plain', messages });
  assert.equal(await stream.finalContent(), 'The key signs it all.');
});

test('a tool call and its result go round, and nothing stands between them', async () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
  const found = await chunks(await client.chat.completions.create({ model: 'tool', messages, tools, stream: true }));
  const [call] = found[0].choices[0].delta.tool_calls;
  assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ['look', { a: 1 }]);
  assert.equal(found.at(-1).choices[0].finish_reason, 'tool_calls');
  const round = [
    ...messages,
    { role: 'assistant', content: null, tool_calls: [{ id: call.id, type: 'function', function: call.function }] },
    { role: 'tool', tool_call_id: call.id, content: 'seen' },
  ];
  await client.chat.completions.create({ model: 'plain', messages: round, tools });
  const sent = (await heard()).bodies.at(-1);
  assert.deepEqual(sent.messages.slice(-3), round);
  assert.deepEqual(sent.tools, tools);
});

test('an answer that breaks off is an error after its chunks, never a stop', async () => {
  for (const model of ['cut:3', 'unfinished:3', 'junk', 'error']) {
    const found = [];
    await assert.rejects(async () => {
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
        found.push(chunk);
      }
    }, OpenAI.APIError);
    assert.ok(found.length >= 2, model);
    assert.ok(found.every((chunk) => chunk.choices[0].finish_reason === null), model);
  }
});

test('refusals keep their status and their class', async () => {
  await assert.rejects(client.chat.completions.create({ model: 'status:429-json', messages }), OpenAI.RateLimitError);
  await assert.rejects(client.chat.completions.create({ model: 'status:404-html', messages }), OpenAI.NotFoundError);
  await assert.rejects(
    new OpenAI({ baseURL: client.baseURL, apiKey: 'wrong', maxRetries: 0 }).models.list(),
    OpenAI.AuthenticationError,
  );
});

test('cancelling leaves the upstream', async () => {
  const before = (await heard()).left;
  const stream = await client.chat.completions.create({ model: 'stall', messages, stream: true });
  for await (const chunk of stream) {
    assert.equal(chunk.choices[0].delta.content, 'The ');
    break;
  }
  stream.controller.abort();
  await until(async () => (await heard()).left === before + 1, 'the upstream sees it go');
  const waiting = new AbortController();
  const silent = client.chat.completions.create({ model: 'silent', messages, stream: true }, { signal: waiting.signal });
  silent.catch(() => undefined);
  await until(async () => (await heard()).bodies.at(-1).model === 'silent', 'the upstream is asked');
  waiting.abort();
  await assert.rejects(silent, OpenAI.APIUserAbortError);
  await until(async () => (await heard()).left === before + 2, 'the upstream sees it go before the first byte');
});

test('the models are those of the upstream', async () => {
  const names = [];
  for await (const model of client.models.list()) {
    names.push(model.id);
  }
  assert.deepEqual(names, ['m']);
});
