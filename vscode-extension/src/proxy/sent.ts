/** The evidence that was sent with a chat, read again from the proxy while it is kept there. */
import type { SentContext } from '../base/protocol';
import { ask, bodyOf, headerText } from './http';
import type { Endpoint } from './state';

const timeoutMs = 5_000;

/** Rejects where it is not kept any more, with a sentence fit to be shown. */
export async function sentContext(
  endpoint: Endpoint,
  packetId: string,
  workspace: string | undefined,
  signal?: AbortSignal,
): Promise<SentContext> {
  const answer = await ask(endpoint, {
    method: 'GET',
    path: `/context/sent/${encodeURIComponent(packetId)}`,
    headers: { ...(workspace && { 'x-helix-workspace': headerText(workspace) }) },
    timeoutMs,
    ...(signal && { signal }),
  });
  const body = await bodyOf(answer);
  if (answer.statusCode !== 200) {
    throw new Error('This evidence is not kept any more; ask the question again.');
  }
  return JSON.parse(body) as SentContext;
}
