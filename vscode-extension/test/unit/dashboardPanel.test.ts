/** The tab of the dashboard shows one folder, whatever was asked before and whatever fails. */
import { expect, test, vi } from 'vitest';

const uri = (text: string): object => ({ fsPath: text.replace('file://', ''), toString: () => text });
const posted: unknown[] = [];
const set: Record<string, unknown> = {};
let hear: (message: unknown) => void = () => undefined;
const webview = {
  html: '',
  cspSource: '',
  asWebviewUri: (one: object) => one,
  onDidReceiveMessage: (heard: typeof hear) => {
    hear = heard;
  },
  postMessage: (message: unknown) => Promise.resolve(posted.push(message) > 0),
};
vi.mock('vscode', () => ({
  ViewColumn: { Active: -1 },
  Uri: { parse: uri, joinPath: (_: object, ...parts: string[]) => uri(parts.join('/')) },
  workspace: { isTrusted: true, getConfiguration: () => ({ get: (name: string) => set[name] }) },
  window: { createWebviewPanel: () => ({ webview, reveal: () => undefined, onDidDispose: () => undefined }) },
}));
vi.mock('../../src/proxy/http', () => ({
  ask: (_: unknown, { path }: { path: string }) => Promise.resolve({ statusCode: 200, path }),
  bodyOf: ({ path }: { path: string }) => Promise.resolve(JSON.stringify(path)),
}));
const { DashboardPanel } = await import('../../src/dashboard/dashboardPanel');

const pageOf = (html: string): string => /data-page="([^"]+)"/.exec(html)?.[1] ?? '';

test('each folder has a page of its own, and one that cannot be read leaves the one that is shown', async () => {
  const server = {
    ask: (_: string, { workspace }: { workspace: string }) =>
      workspace === 'file:///broken'
        ? Promise.reject(new Error('not open'))
        : Promise.resolve({ schema: 'helix.proxy/1', running: true, url: 'http://127.0.0.1:1', api_key: 'k' }),
  };
  const panel = new DashboardPanel(server as never, uri('file:///x') as never, { error: () => undefined } as never);
  const answerTo = async (page: string): Promise<unknown> => {
    posted.length = 0;
    hear({ page, ask: 1, question: { route: '/stats' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    return posted[0];
  };
  await panel.show('file:///a');
  const first = pageOf(webview.html);
  await expect(panel.show('file:///broken')).rejects.toThrow('not open');
  expect(pageOf(webview.html)).toBe(first);
  expect(await answerTo(first)).toEqual({ page: first, reply: 1, answer: '/w/%2Fa/stats' });
  await panel.show('file:///b');
  const second = pageOf(webview.html);
  expect(second).not.toBe(first);
  expect(await answerTo(first)).toBeUndefined();
  expect(await answerTo(second)).toEqual({ page: second, reply: 1, answer: '/w/%2Fb/stats' });
});

test('the settings of the proxy are sent as they are set, within their bounds, and none that is not a number', async () => {
  const requests: unknown[] = [];
  const server = {
    ask: (_: string, request: unknown) => {
      requests.push(request);
      return Promise.resolve({ schema: 'helix.proxy/1', running: true, url: 'http://127.0.0.1:1', api_key: 'k' });
    },
  };
  const panel = new DashboardPanel(server as never, uri('file:///x') as never, { error: () => undefined } as never);
  const sent = async (settings: Record<string, unknown>): Promise<unknown> => {
    for (const name of Object.keys(set)) Reflect.deleteProperty(set, name);
    Object.assign(set, settings);
    await panel.show('file:///a');
    return requests.at(-1);
  };
  const asked = { start: true, workspace: 'file:///a' };
  expect(await sent({ 'proxy.port': null })).toEqual(asked);
  expect(await sent({ 'proxy.port': 5000, 'proxy.budgetTokens': 10, 'proxy.idleSeconds': 2.5 })).toEqual({
    ...asked,
    port: 5000,
    budget_tokens: 200,
    idle_s: 2.5,
  });
  expect(await sent({ 'proxy.port': '5000', 'proxy.budgetTokens': 300.5, 'proxy.idleSeconds': [3] })).toEqual(asked);
});
