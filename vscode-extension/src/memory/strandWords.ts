/** What is said of a strand, a `.dna` file that carries memories: who signed it, what opens it, what it would change. */
import type { StrandClaims, StrandImport } from '../base/protocol';
import { shown } from '../view/shown';
import { count } from '../view/words';

const mostShown = 100;
const recoveryCode = /^\s*(?:[0-9a-z]{4}[-\s]?){8}\s*$/i;
const recipient = /^dna-recipient:[0-9a-f]{64}$/;

/** Who signed a file; a key identifies a signer, and a label is the user's own word for one that they trust. */
export function signerWords({ trust, signer, signer_label: label }: StrandClaims): string {
  if (trust === 'own') return 'Signed by you.';
  if (trust === 'trusted') return `Signed by ${label ? `“${shown(label)}”` : signer}, whom you trust.`;
  return `Signed by ${signer}, whom you do not trust.`;
}

/** What to ask for: nothing where the user's own key opens the file; undefined where nothing that is typed could. */
export function keyWords({ opens_with: kinds, opens_with_own_key: own }: StrandClaims): string | undefined {
  if (own) return '';
  const typed = kinds.filter((kind) => kind !== 'recipient' && kind !== 'unknown');
  if (typed.length === 0) return undefined;
  const words = typed.join(' or ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The member of a request that a typed secret is: a recovery code only where the file opens with one. */
export function secretOf(typed: string, { opens_with: kinds }: StrandClaims): object {
  const isCode = kinds.includes('recovery code') && (recoveryCode.test(typed) || !kinds.includes('passphrase'));
  return isCode ? { recovery_code: typed } : { passphrase: typed };
}

/** The recipients that were typed, or what is wrong with them. */
export function recipientsOf(typed: string): { readonly keys: string[]; readonly problem?: string } {
  const keys = typed.split(/[\s,;]+/).filter(Boolean);
  const wrong = keys.find((key) => !recipient.test(key));
  if (wrong !== undefined)
    return { keys, problem: `${shown(wrong)} is not a key: dna-recipient: and 64 digits of 0-9a-f` };
  return keys.length === 0 ? { keys, problem: 'Others see their key with: helix strand keys' } : { keys };
}

/** "12 new, 3 already here, 1 conflicting". */
export function differenceWords({ added, known, decided, removed }: StrandImport): string {
  const parts = [`${added.memory ?? 0} new`, `${known} already here`];
  if (decided > 0) parts.push(`${decided} conflicting`);
  if (removed > 0) parts.push(`${removed} purged`);
  return parts.join(', ');
}

/** Is there anything to take in? */
export function changesAnything({ added, removed }: StrandImport): boolean {
  return removed > 0 || Object.values(added).some((number) => number > 0);
}

/** One line a memory: `+` comes in, `-` goes, `~` gets another status. */
export function changeLines({ changes = [] }: StrandImport): string[] {
  const lines = changes.slice(0, mostShown).map(({ text, before, after }) => {
    const sign = before && after ? '~' : after ? '+' : '-';
    return `${sign} ${shown(text)} (${[before, after].filter(Boolean).join(' → ')})`;
  });
  return changes.length > mostShown ? [...lines, `and ${changes.length - mostShown} more`] : lines;
}

/** What an import did. */
export function importedWords({ added, removed, waits_for_review: waiting, notes }: StrandImport): string {
  const come = count(added.memory ?? 0, 'memory', 'memories');
  const gone = removed > 0 ? `, ${removed} purged` : '';
  const wait = waiting === 1 ? 'It waits' : 'They wait';
  const review = waiting > 0 ? ` ${wait} for your review.` : '';
  const more = notes.length > 0 ? ` Note: ${notes.join('; ')}.` : '';
  return `Imported ${come}${gone}.${review}${more}`;
}
