/** The answers of Helix's models in this window, newest first: what each was sent, and what of it is wrong. Pure. */
import type { CheckAnswer, GivenItem } from '../base/protocol';

export interface ModelAnswer {
  /** The packet's id, empty where no evidence was sent. */
  readonly packetId: string;
  readonly question: string;
  /** Uri of the workspace folder, empty where none is known. */
  readonly folder: string;
  readonly text: string;
  readonly items: readonly GivenItem[];
  readonly check?: CheckAnswer;
}

const most = 50;

export class ModelAnswers {
  private kept: readonly ModelAnswer[] = [];

  keep(answer: ModelAnswer): void {
    this.kept = [answer, ...this.kept.filter(({ packetId }) => packetId !== answer.packetId)].slice(0, most);
  }

  get last(): ModelAnswer | undefined {
    return this.kept[0];
  }

  ofPacket(packetId: string): ModelAnswer | undefined {
    return this.kept.find((one) => one.packetId === packetId);
  }
}

/** Just what points, of places that say more. */
export function pointers(places: readonly GivenItem[]): GivenItem[] {
  return places.map(({ source_id, gene_id, symbol, start_line, end_line, content_hash }) => ({
    source_id,
    gene_id,
    symbol,
    start_line,
    end_line,
    content_hash,
  }));
}
