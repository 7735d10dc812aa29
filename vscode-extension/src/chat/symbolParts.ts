/** What is known of a name, as an answer in the chat. Pure. */
import type { SymbolAnswer, SymbolPlace } from '../base/protocol';
import { code, prose } from '../view/markdown';
import { count } from '../view/words';
import { facts, marks, oncePerFile } from './packetParts';
import { button, place, text, type ChatPart } from './parts';

const mostPlaces = 8;

/** The places in the order in which the answer numbers them. */
export function placesOf(answer: SymbolAnswer): SymbolPlace[] {
  return [answer.definitions, answer.overrides, answer.users, answer.tests, answer.documents].flatMap((some) =>
    some.slice(0, mostPlaces),
  );
}

export function symbolParts(answer: SymbolAnswer, nowSeconds: number): ChatPart[] {
  const origin = oncePerFile(nowSeconds);
  let number = 0;
  const rows = (title: string, places: readonly SymbolPlace[], total = places.length): ChatPart[] => {
    if (places.length === 0) {
      return [];
    }
    const more =
      total > Math.min(places.length, mostPlaces) ? `, ${Math.min(places.length, mostPlaces)} of them shown` : '';
    return [
      text(`#### ${title} (${total}${more})\n\n`),
      ...places.slice(0, mostPlaces).flatMap((one) => {
        number += 1;
        const doubt = one.by_name === true ? ' (by name only)' : '';
        return [
          text(`**${number}** ${marks[one.status]} `),
          place(one),
          text(`${doubt}${facts(one)}${origin(one)}\n\n`),
        ];
      }),
    ];
  };
  return [
    text(
      `${code(answer.symbol || answer.name)}${answer.kind ? `, a ${prose(answer.kind)}` : ''}: ${summary(answer)}\n\n`,
    ),
    ...rows('Defined', answer.definitions),
    ...rows('Overridden', answer.overrides),
    ...rows('Used', answer.users, answer.users_total),
    ...rows('Tested', answer.tests),
    ...rows('Written about', answer.documents),
    button('Show in Packet View', 'helix.ask.question', answer.name),
  ];
}

function summary(answer: SymbolAnswer): string {
  const parts = [count(answer.definitions.length, 'definition'), count(answer.users_total, 'user')];
  return [...parts, count(answer.tests.length, 'test'), count(answer.documents.length, 'document')].join(', ');
}
