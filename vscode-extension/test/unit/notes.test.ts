/** A note's address says which note of which folder it is, and what is asked for it. */
import { expect, test, vi } from 'vitest';

interface Address {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}
interface Provider {
  provideTextDocumentContent(uri: Address, token: unknown): Promise<string>;
}
const registered = new Map<string, Provider>();
vi.mock('vscode', () => ({
  Uri: { from: (parts: Address) => parts },
  workspace: {
    registerTextDocumentContentProvider: (scheme: string, provider: Provider) => registered.set(scheme, provider),
  },
}));
const { isNote, noteUri, registerNotes } = await import('../../src/view/notes');

test('a note is opened by the command that shows it, of the folder it is in', async () => {
  const ask = vi.fn(() => Promise.resolve({ text: 'We sign cookies.' }));
  registerNotes({ ask } as never);
  expect(ask).not.toHaveBeenCalled();
  const folder = { toString: () => 'file:///project' };
  const uri = noteUri(folder as never, 'helix-note:0123456789abcdef') as unknown as Address;
  const token = {};
  expect(await registered.get('helix-note')?.provideTextDocumentContent(uri, token)).toBe('We sign cookies.');
  expect(ask).toHaveBeenCalledWith(
    'helix.open',
    { source_id: 'helix-note:0123456789abcdef', end_line: 10_000_000, workspace: 'file:///project' },
    token,
  );
});

test('a file is not a note', () => {
  expect([isNote('helix-note:00'), isNote('docs/helix-note:00.md')]).toEqual([true, false]);
});
