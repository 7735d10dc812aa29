/** What is asked when code is selected instead of a question typed. Pure. */

const longestQuestion = 600;

/** Selected text as a question: blanks run together, cut at a word where it is long. */
export function questionOf(selected: string): string {
  const text = selected.replace(/\s+/g, ' ').trim();
  if (text.length <= longestQuestion) {
    return text;
  }
  const cut = text.slice(0, longestQuestion);
  const blank = cut.lastIndexOf(' ');
  return blank > longestQuestion / 2 ? cut.slice(0, blank) : cut;
}
