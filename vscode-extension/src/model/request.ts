/** The body of a chat completion. Pure. */
import { wireMessages, wireTools, type EditorMessage, type EditorTool } from './messages';

export interface ChatOptions {
  readonly tools?: readonly EditorTool[] | undefined;
  /** Whether the model must call one. */
  readonly mustCall: boolean;
  readonly modelOptions?: Readonly<Record<string, unknown>> | undefined;
}

const passed = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'response_format',
  'reasoning_effort',
] as const;

export function chatBody(
  model: string,
  messages: readonly EditorMessage[],
  options: ChatOptions,
  leftOut: (what: string) => void,
): string {
  const tools = wireTools(options.tools ?? []);
  const chosen = passed.flatMap((name) => {
    const value = options.modelOptions?.[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return JSON.stringify({
    model,
    messages: wireMessages(messages, leftOut),
    stream: true,
    ...Object.fromEntries(chosen),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && options.mustCall && { tool_choice: 'required' }),
  });
}
