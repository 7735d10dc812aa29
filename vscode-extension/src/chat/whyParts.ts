/** Why a place has its verdict, observation by observation, as an answer in the chat. Pure. */
import type { Explanation } from '../base/protocol';
import { words } from '../view/verdictText';
import { code, prose } from '../view/markdown';
import { groupNames, reasonWords } from '../view/words';
import { marks, refreshTargets } from './packetParts';
import { place, text, type ChatPart } from './parts';

export function whyParts(explanation: Explanation): ChatPart[] {
  const { status, reason, detail, symbol, observations } = explanation;
  const observed = observations.map((one, index) => {
    const line = `${index + 1}. ${prose(one.observation)}`;
    return one.decides ? `${line} → **${prose(words(one.finding))}**, which decided` : line;
  });
  return [
    text(`**${marks[status]} ${groupNames[status]}: ${reasonWords(reason)}** `),
    place(explanation),
    text(`${symbol ? ` ${code(symbol)}` : ''}${detail ? `\n\n${prose(detail)}` : ''}\n\n${observed.join('\n')}\n\n`),
    ...refreshTargets(explanation),
  ];
}
