import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { figures, type Seen, type SeenChoice, type SeenUsage } from './seen.ts';
import { type Buckets, GAP, type Reason, type Told, type ToldChoice } from './told.ts';

/** Rule C-50; a refusal that was spoken is an ordinary end in the protocols that can show it. */
const FINISH: Readonly<Record<TextProtocol, Readonly<Record<Reason, string>>>> = {
  chat: {
    stop: 'stop',
    'stop-sequence': 'stop',
    tool: 'tool_calls',
    length: 'length',
    context: 'length',
    filter: 'content_filter',
    refusal: 'stop',
    pause: 'stop',
  },
  responses: {
    stop: 'completed',
    'stop-sequence': 'completed',
    tool: 'completed',
    length: 'incomplete max_output_tokens',
    context: 'incomplete max_output_tokens',
    filter: 'incomplete content_filter',
    refusal: 'completed',
    pause: 'completed',
  },
  messages: {
    stop: 'end_turn',
    'stop-sequence': 'stop_sequence',
    tool: 'tool_use',
    length: 'max_tokens',
    context: 'model_context_window_exceeded',
    filter: 'refusal',
    refusal: 'refusal',
    pause: 'pause_turn',
  },
  gemini: {
    stop: 'STOP',
    'stop-sequence': 'STOP',
    tool: 'STOP',
    length: 'MAX_TOKENS',
    context: 'MAX_TOKENS',
    filter: 'SAFETY',
    refusal: 'STOP',
    pause: 'STOP',
  },
};

/** The figures as each client is shown them (rule C-55). */
const USAGE: Readonly<Record<TextProtocol, (buckets: Buckets) => SeenUsage>> = {
  chat: ({ fresh, read, write, tool, text, reasoning }) => ({
    prompt_tokens: fresh + read + write + tool,
    completion_tokens: text + reasoning,
    total_tokens: fresh + read + write + tool + text + reasoning,
    cached_tokens: read,
    reasoning_tokens: reasoning,
  }),
  responses: ({ fresh, read, write, tool, text, reasoning }) => ({
    input_tokens: fresh + read + write + tool,
    output_tokens: text + reasoning,
    total_tokens: fresh + read + write + tool + text + reasoning,
    cached_tokens: read,
    reasoning_tokens: reasoning,
  }),
  messages: ({ fresh, read, write, tool, text, reasoning }) => ({
    input_tokens: fresh + tool,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: text + reasoning,
  }),
  gemini: ({ fresh, read, write, tool, text, reasoning }) =>
    figures({
      promptTokenCount: fresh + read + write,
      cachedContentTokenCount: read === 0 ? undefined : read,
      toolUsePromptTokenCount: tool === 0 ? undefined : tool,
      candidatesTokenCount: text,
      thoughtsTokenCount: reasoning === 0 ? undefined : reasoning,
      totalTokenCount: fresh + read + write + tool + text + reasoning,
    }),
};

const NO_BUCKETS: Buckets = { fresh: 0, read: 0, write: 0, tool: 0, text: 0, reasoning: 0 };

/** Protocols that know one answer at a time, and those that have a field for the words of a refusal. */
const ONE_ANSWER: readonly TextProtocol[] = ['responses', 'messages'];
const SHOWS_REFUSALS: readonly TextProtocol[] = ['chat', 'responses'];

/** How what was told differs from what the client saw; empty when nothing does. */
export function differences(told: Told, seen: Seen, client: TextProtocol): readonly string[] {
  const choices = ONE_ANSWER.includes(client) ? told.choices.slice(0, 1) : told.choices;
  const usage = told.usage ?? (client === 'messages' ? NO_BUCKETS : undefined);
  const figured = usage === undefined ? undefined : USAGE[client](usage);
  return [
    ...differing('choices', choices.length, seen.choices.length),
    ...choices.flatMap((choice, index) => {
      const shown = seen.choices[index];
      return shown === undefined ? [] : choiceDifferences(choice, shown, client);
    }),
    ...differing('usage', figured, seen.usage),
  ];
}

function choiceDifferences(told: ToldChoice, seen: SeenChoice, client: TextProtocol): readonly string[] {
  const isShown = SHOWS_REFUSALS.includes(client);
  const words = isShown ? told.words : [...told.words, told.refusal];
  const explained = client === 'chat' && told.finish === 'filter' ? (told.explanation ?? '') : '';
  const refusal = isShown ? told.refusal || explained : '';
  return [
    ...(isTold(words, seen.text) ? [] : differing('text', words.map(String), seen.text)),
    ...differing('reasoning', told.reasoning, seen.reasoning),
    ...differing('refusal', refusal, seen.refusal),
    ...differing(
      'calls',
      callsOf(told, client),
      seen.calls.map(({ name, input }) => ({ name, input })),
    ),
    ...differing('finish', FINISH[client][told.finish], seen.finish),
  ];
}

/** The texts one after the other; anything may stand where only the vendor could show what stood there. */
function isTold(words: ToldChoice['words'], text: string): boolean {
  const runs: string[] = [''];
  for (const word of words) {
    if (word === GAP) runs.push('');
    else runs[runs.length - 1] += word;
  }
  const last = runs.at(-1) as string;
  if (runs.length === 1) return text === last;
  let from = 0;
  for (const [index, run] of runs.slice(0, -1).entries()) {
    const at = text.indexOf(run, from);
    if (at < 0 || (index === 0 && at > 0)) return false;
    from = at + run.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** Free text has a place in OpenAI's protocols only; elsewhere it is an object with that text. */
function callsOf({ calls }: ToldChoice, client: TextProtocol): unknown {
  const isWrapped = client === 'messages' || client === 'gemini';
  return calls.map(({ name, input, custom }) => ({ name, input: custom && isWrapped ? { input } : input }));
}

function differing(what: string, told: unknown, seen: unknown): readonly string[] {
  const [before, after] = [stable(told), stable(seen)];
  return before === after ? [] : [`${what}: told ${before}, seen ${after}`];
}

/** Order of keys is no difference: SDKs put objects together anew. */
function stable(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([one], [two]) => (one < two ? -1 : 1)));
  };
  return JSON.stringify(value, sorted) ?? 'nothing';
}
