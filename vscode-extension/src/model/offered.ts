/** What `/v1/models` lists, as the models the editor offers. Pure; whatever an upstream writes there is understood or left. */

export interface OfferedModel {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly detail?: string;
  readonly tooltip: string;
  /** Less what the proxy may add to a chat. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: { readonly toolCalling: boolean; readonly imageInput: boolean };
}

const mostModels = 200;
const usualWindow = 32_768;
const usualAnswer = 4_096;
const addedByProxy = 4_000;
const noChat = /\b(embed|embedding|rerank|whisper|tts|moderation)/i;

/** Each once, in the upstream's order; `upstreams` name where they come from. */
export function offeredModels(listed: unknown, upstreams: readonly string[]): OfferedModel[] {
  const data = fieldsOf(listed)['data'];
  const seen = new Set<string>();
  const offered: OfferedModel[] = [];
  for (const entry of Array.isArray(data) ? (data as unknown[]) : []) {
    const fields = fieldsOf(entry);
    const id = fields['id'];
    if (typeof id !== 'string' || id === '' || id.length > 200 || seen.has(id) || noChat.test(id)) {
      continue;
    }
    seen.add(id);
    offered.push(modelOf(id, fields, upstreams));
  }
  return offered.slice(0, mostModels);
}

function modelOf(id: string, fields: Fields, upstreams: readonly string[]): OfferedModel {
  const window = windowOf(fields) ?? usualWindow;
  const owner = fields['helix_upstream'] ?? (upstreams.length === 1 ? upstreams[0] : undefined);
  const abilities = abilitiesOf(fields);
  return {
    id,
    name: id,
    family: id.split(/[:/@]/).findLast((part) => /^[a-z]/i.test(part)) ?? id,
    version: id.split(':')[1] ?? '1',
    ...(typeof owner === 'string' && owner !== '' && { detail: owner === 'default' ? (upstreams[0] ?? owner) : owner }),
    tooltip: `${id}, answered with evidence from this workspace through the Helix proxy`,
    maxInputTokens: Math.max(1_000, window - usualAnswer - addedByProxy),
    maxOutputTokens: usualAnswer,
    capabilities: {
      toolCalling: abilities === undefined || abilities.some((one) => /tool/i.test(one)),
      imageInput: abilities?.some((one) => /vision|image/i.test(one)) ?? false,
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** vLLM, LM Studio, OpenRouter and llama.cpp each name it differently. */
function windowOf(fields: Fields): number | undefined {
  const named = [fields['max_model_len'], fields['context_length'], fields['max_context_length']];
  named.push(fieldsOf(fields['meta'])['n_ctx'], fieldsOf(fields['meta'])['n_ctx_train']);
  return named.find((value): value is number => typeof value === 'number' && value >= 1_024);
}

function abilitiesOf(fields: Fields): string[] | undefined {
  const named = fields['capabilities'];
  return Array.isArray(named) ? named.filter((one): one is string => typeof one === 'string') : undefined;
}
