/** Keeps a tool's answer within the tokens its reader has left. Pure. */

export type Count = (text: string) => Promise<number>;

const note = '\n… cut to fit; ask for fewer items, or open single places.';

/** The text, or as many characters of its beginning as fit with a note that says so. */
export async function fitted(text: string, budget: number, count: Count): Promise<string> {
  const tokens = await count(text);
  if (tokens <= budget) {
    return text;
  }
  let length = Math.floor((text.length * budget) / tokens);
  for (let tries = 0; tries < 6; tries++) {
    const cut = text.slice(0, length) + note;
    if ((await count(cut)) <= budget) {
      return cut;
    }
    length = Math.floor(length * 0.85);
  }
  return note.trim();
}
