import type { TruthCall } from '../../sim/truth.ts';
import type { Client, Form, RefusalForm } from './clients/client.ts';
import type { Upstream } from './upstream.ts';
import { truthUsage } from './world.ts';

/** Rule C-50: how each client says why an answer ended. */
export const FINISH: Readonly<Record<Form, Readonly<Record<'stop' | 'tool' | 'length', string>>>> = {
  chat: { stop: 'stop', tool: 'tool_calls', length: 'length' },
  responses: { stop: 'completed', tool: 'completed', length: 'incomplete: max_output_tokens' },
  messages: { stop: 'end_turn', tool: 'tool_use', length: 'max_tokens' },
  gemini: { stop: 'STOP', tool: 'STOP', length: 'MAX_TOKENS' },
  ai: { stop: 'stop', tool: 'tool-calls', length: 'length' },
};

/**
 * After a stop sequence only a Messages client hears which one it was, and only where the vendor says so or
 * the gateway itself looked for it.
 */
export function finishAfterStop(form: Form, upstream: Upstream, stop: string): string {
  const isTold = upstream === 'messages' || upstream === 'responses';
  return form === 'messages' && isTold ? `stop_sequence: ${stop}` : FINISH[form].stop;
}

/** Rule C-53: OpenAI's models refuse in words of their own, the others end for a reason. */
export const REFUSAL: Readonly<Record<Form, Readonly<Record<Upstream, RefusalForm>>>> = {
  chat: {
    chat: { finish: 'stop', field: 'refusal' },
    responses: { finish: 'stop', field: 'refusal' },
    messages: { finish: 'content_filter', field: 'text' },
    gemini: { finish: 'content_filter', field: 'text' },
  },
  responses: {
    chat: { finish: 'completed', field: 'refusal' },
    responses: { finish: 'completed', field: 'refusal' },
    messages: { finish: 'incomplete: content_filter', field: 'text' },
    gemini: { finish: 'incomplete: content_filter', field: 'text' },
  },
  messages: {
    chat: { finish: 'refusal', field: 'both' },
    responses: { finish: 'refusal', field: 'both' },
    messages: { finish: 'refusal', field: 'text' },
    gemini: { finish: 'refusal', field: 'text' },
  },
  gemini: {
    chat: { finish: 'STOP', field: 'text' },
    responses: { finish: 'STOP', field: 'text' },
    messages: { finish: 'SAFETY', field: 'text' },
    gemini: { finish: 'SAFETY', field: 'text' },
  },
  ai: {
    chat: { finish: 'stop', field: 'text' },
    responses: { finish: 'stop', field: 'text' },
    messages: { finish: 'content-filter', field: 'text' },
    gemini: { finish: 'content-filter', field: 'text' },
  },
};

/** Rule C-55: what the simulator counted, as each client shows it. */
export function expectedUsage(client: Client, truth: TruthCall, upstream: Upstream): object {
  const { fresh, cacheRead, cacheWrite, text, reasoning } = truthUsage(truth, upstream);
  const input = fresh + cacheRead + cacheWrite;
  const output = text + reasoning;
  switch (client.form) {
    case 'chat':
      return {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: {
          cached_tokens: cacheRead,
          ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
        },
        completion_tokens_details: { reasoning_tokens: reasoning },
      };
    case 'responses':
      return {
        input_tokens: input,
        input_tokens_details: {
          cached_tokens: cacheRead,
          ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
        },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: input + output,
      };
    case 'messages':
      return {
        input_tokens: fresh,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite,
        output_tokens: output,
        ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
      };
    case 'gemini':
      return {
        promptTokenCount: input,
        totalTokenCount: input + output,
        ...(text === 0 ? {} : { candidatesTokenCount: text }),
        ...(cacheRead === 0 ? {} : { cachedContentTokenCount: cacheRead }),
        ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
      };
    case 'ai':
      return {
        inputTokens: input,
        inputTokenDetails: client.hidesCacheWrites
          ? { noCacheTokens: fresh + cacheWrite, cacheReadTokens: cacheRead }
          : { noCacheTokens: fresh, cacheReadTokens: cacheRead },
        outputTokens: output,
        ...(reasoning === 0 ? {} : { outputTokenDetails: { textTokens: text, reasoningTokens: reasoning } }),
        totalTokens: input + output,
      };
  }
}
