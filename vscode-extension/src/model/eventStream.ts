/** Server-sent events: bytes as they come in, the data of each event out. Pure. */

const mostEventChars = 16 * 1024 * 1024;

/** The `data` of every event, in order. Comments and other fields are skipped. Rejects when the bytes do. */
export async function* eventData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let held = '';
  let data: string[] = [];
  for await (const part of bytes) {
    held += decoder.decode(part, { stream: true });
    if (held.length > mostEventChars) {
      throw new Error('one event of the answer is larger than an answer may be');
    }
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
  }
  if (data.length > 0) {
    yield data.join('\n');
  }
}
