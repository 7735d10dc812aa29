// The TypeScript client, as it is built, against the real server process.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';

import { HelixClient, HelixError } from '../../vscode-extension/sdk/dist/index.js';
import { address, connect } from '../../vscode-extension/sdk/dist/node.js';
import { apart, end, python, root, start } from './started.mjs';

const calls = JSON.parse(readFileSync(join(root, 'tests', 'proxy', 'sdk_calls.json'), 'utf8'));
const command = [python, '-m', 'helix_ls.cli'];
let folder, other, admin, asker, url;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helix-sdk-'));
  for (const name of ['app', 'docs']) mkdirSync(join(folder, name));
  const source = '"""Signed cookies."""\n\nAGE = 3600\n\n\ndef sign_cookie(payload):\n    """Sign the session cookie."""\n    return payload\n';
  writeFileSync(join(folder, 'app', 'sessions.py'), source);
  writeFileSync(join(folder, 'docs', 'sessions.md'), '# Sessions\n\n`sign_cookie` signs the session cookie.\n');
  const named = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  for (const words of [['init', '-q'], ['add', '.'], [...named, 'commit', '-qm', 'Begin']]) {
    execFileSync('git', words, { cwd: folder });
  }
  // The command that `connect` runs is to find the same server.
  Object.assign(process.env, apart(folder), { PYTHONPATH: root });
  ({ url } = await start({}, '-m', 'helix_ls.cli', 'serve', folder, '--port', '0', '--json'));
  admin = await connect({ folder, admin: true, command });
  asker = await connect({ folder, command });
});

after(async () => {
  await end();
  for (const each of [folder, other]) rmSync(each, { recursive: true, force: true });
});

test('each operation is called once and answers', async () => {
  const { key } = await address({ folder, command });
  const served = await (await fetch(`${url}/openapi.json`, { headers: { Authorization: `Bearer ${key}` } })).json();
  const operations = Object.values(served.paths)
    .flatMap((methods) => Object.values(methods))
    .filter((said) => said.tags?.includes('operations'));
  const kept = {};
  const called = [];
  for (const step of calls) {
    const given = Object.fromEntries(Object.entries(step.given).map(([name, value]) => [name, kept[value] ?? value]));
    const takes = admin[step.call].length > 0 || Object.keys(given).length > 0;
    const answer = takes ? await admin[step.call](given) : await admin[step.call]();
    const shape = operations.find((said) => said.operationId === step.call).responses['200'].content['application/json'];
    const wanted = served.components.schemas[shape.schema.$ref.split('/').at(-1)];
    for (const name of wanted.required ?? []) assert.ok(name in answer, `${step.call}: ${name}`);
    for (const [name, path] of Object.entries(step.keep ?? {})) kept[name] = path.reduce((value, part) => value[part], answer);
    called.push(step.call);
  }
  assert.deepEqual(called.toSorted(), operations.map((said) => said.operationId).toSorted());
});

test('an answer has what the other surfaces say', async () => {
  const found = await asker.packet({ question: 'where are session cookies signed?' });
  assert.equal(found.schema, 'helix.packet/1');
  assert.ok(found.verified.some((each) => each.source_id === 'app/sessions.py'));
  const window = await asker.context({ question: 'where are session cookies signed?' });
  assert.match(window.text, /def sign_cookie/);
});

test('a wrong key, a missing right and a wrong argument are errors with cause and next action', async () => {
  const wrong = new HelixClient({ url, key: 'helix-wrong' });
  const elsewhere = new HelixClient({ ...(await address({ folder, command })), workspace: 'none' });
  const refusals = [
    [() => wrong.search({ question: 'a' }), 401, /helix connect openai/],
    [() => asker.remember({ text: 'Nobody may do this.' }), 403, /helix connect admin/],
    [() => asker.search({ question: 'a', k: 0 }), 400, /correct/],
    [() => elsewhere.status(), 404, /./],
  ];
  for (const [ask, status, action] of refusals) {
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof HelixError);
      assert.equal(error.status, status);
      assert.match(error.nextAction, action);
      assert.equal(error.message, `${error.what}; ${error.nextAction}`);
      return true;
    });
  }
});

test('a client of a folder asks and writes no other of the same server', async () => {
  other = mkdtempSync(join(tmpdir(), 'helix-größe-日本-'));
  writeFileSync(join(other, 'zebra.py'), 'def stripes():\n    return 2\n');
  const own = { HELIX_RUNTIME_DIR: join(other, '.run'), HELIX_DATA_DIR: join(other, '.data'), HELIX_STATE_DIR: join(other, '.state') };
  const before = Object.fromEntries(Object.keys(own).map((name) => [name, process.env[name]]));
  Object.assign(process.env, own);
  try {
    const served = await start({}, '-m', 'helix_ls.cli', 'serve', folder, '--also', other, '--port', '0', '--json');
    const client = await connect({ folder: other, admin: true, command });
    assert.equal((await client.packet({ question: 'stripes' })).workspace, realpathSync(other));
    await client.remember({ text: 'Zebras have stripes.', origin: 'user' });
    assert.equal((await client.memories()).items.length, 1);
    const first = await connect({ folder, command });
    assert.equal((await first.memories()).items.length, 0);
    const { key } = await address({ folder, command });
    const named = new HelixClient({ url: served.url, key, workspace: basename(other) });
    assert.equal((await named.packet({ question: 'stripes' })).workspace, realpathSync(other));
    for (const workspace of ['日本', '..', '.']) {
      const elsewhere = new HelixClient({ url: served.url, key, workspace });
      await assert.rejects(elsewhere.status(), { code: 'unknown_workspace' });
    }
    await assert.rejects(connect({ folder: tmpdir(), command }), /does not serve .*; serve it with: helix serve/);
  } finally {
    Object.assign(process.env, before);
  }
});

test('an argument that is not valid JSON is told as one', async () => {
  const circular = {};
  circular.itself = circular;
  for (const k of [circular, 1n]) {
    await assert.rejects(asker.search({ question: 'a', k }), /an argument is not valid JSON .*; give texts, numbers/);
  }
});

test('a request is sent once, and ends when its time or its signal ends it', async () => {
  const heard = [];
  const failing = createServer((request, answer) => {
    heard.push(request.url);
    if (request.url !== '/search') answer.writeHead(503, { 'Retry-After': '7' }).end();
  });
  await new Promise((resolve) => failing.listen(0, '127.0.0.1', resolve));
  const client = new HelixClient({ url: `http://127.0.0.1:${failing.address().port}`, key: 'k', timeoutMs: 60_000 });
  await assert.rejects(client.remember({ text: 'one' }), { status: 503, retryAfterS: 7 });
  await assert.rejects(client.search({ question: 'two' }, { timeoutMs: 100 }), /in time; ask again/);
  const leaving = new AbortController();
  const left = client.search({ question: 'three' }, { signal: leaving.signal });
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  failing.closeAllConnections();
  await new Promise((resolve) => failing.close(resolve));
  assert.deepEqual(heard.slice(0, 2), ['/memory/remember', '/search']);
  await assert.rejects(client.status(), /no server answers .*; start a server with: helix serve/);
});

test('the example of the documentation runs', () => {
  const page = readFileSync(join(root, 'docs', 'sdk.md'), 'utf8');
  const [example] = [...page.matchAll(/^```javascript\n(.*?)^```/gms)].map(([, code]) => code);
  // Inside the package, so that its name leads to it; the command is of the checkout, not of PATH.
  const file = join(root, 'vscode-extension', 'sdk', 'dist', 'example.mjs');
  writeFileSync(file, example);
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'helix'), `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const lines = execFileSync(process.execPath, [file], { cwd: folder, env, encoding: 'utf8' }).trim().split('\n');
  rmSync(file);
  assert.match(lines[0], /^(app\/sessions\.py|docs\/sessions\.md) \d+ \w+$/);
  assert.match(lines.at(-1), /^403 .*helix connect admin/);
});

test('where no server runs, what helix connect says is the error', async () => {
  const elsewhere = join(folder, '.elsewhere');
  const before = process.env.HELIX_RUNTIME_DIR;
  process.env.HELIX_RUNTIME_DIR = elsewhere;
  await assert.rejects(connect({ folder, command }), /no server is running; start one with: helix serve/);
  process.env.HELIX_RUNTIME_DIR = before;
  await assert.rejects(connect({ folder, command: ['no-such-helix'] }), /not on your PATH; install Helix/);
});
