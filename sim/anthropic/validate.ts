import type { IncomingHttpHeaders } from 'node:http';
import type { AnthropicModel } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric, record, records, strings } from '../request/json.ts';
import { anything, type Shape, struct } from '../request/shape.ts';
import { betasOf, refuseBetas } from './betas.ts';
import { refuseCacheMarks } from './cache.ts';
import { refuseTurns } from './conversation.ts';
import { anthropicError, describe } from './error.ts';
import { refuseFormat } from './format.ts';
import { refusePictures } from './picture.ts';
import { messagesInputTokens } from './read.ts';
import { refuseSearches } from './search.ts';
import { BETA_FIELDS, COUNT_FIELDS, MESSAGES_BY_VERSION } from './shape.ts';
import { refuseThinking } from './thinking.ts';
import { refuseToolPairs, refuseTools } from './tools.ts';

export interface Examined {
  readonly body: Json;
  readonly model: AnthropicModel | undefined;
  readonly purpose: 'generate' | 'count';
  readonly version: string;
  readonly headers: IncomingHttpHeaders;
}

/** The first thing that is wrong with a request, in the words of the vendor (rule V-5). */
export function refuseMessages(examined: Examined): Reply | undefined {
  const { body, model, purpose, version, headers } = examined;
  const fields = MESSAGES_BY_VERSION.get(version);
  if (fields === undefined)
    return anthropicError(400, `anthropic-version: "${version}" is not a valid version`);
  const betas = betasOf(headers['anthropic-beta']);
  const wrongBeta = refuseBetas(betas);
  if (wrongBeta !== undefined) return anthropicError(400, wrongBeta);
  const known = { ...(purpose === 'count' ? COUNT_FIELDS : fields), ...betaFields(betas) };
  const [problem] = check(struct(known), body);
  if (problem !== undefined) return describe(problem);
  if (body.thread !== undefined && body.thread !== null) return refuseThread();
  if (model === undefined) return undefined;
  const message = firstProblem(examined, model);
  return message === undefined ? undefined : anthropicError(400, message);
}

/** Nothing is kept here between requests; the vendor's SDK then sends the whole history itself. */
function refuseThread(): Reply {
  const details = { error_code: 'thread_unsupported_request', unsupported: ['model'] };
  return anthropicError(400, 'thread: message threads are not supported for this request', details);
}

function betaFields(betas: readonly string[]): Readonly<Record<string, Shape>> {
  const open = [...BETA_FIELDS].filter(([, family]) => betas.some((beta) => beta.startsWith(`${family}-`)));
  return Object.fromEntries(open.map(([name]) => [name, anything]));
}

function firstProblem({ body, version }: Examined, model: AnthropicModel): string | undefined {
  const messages = records(body.messages);
  return (
    refuseVersion(messages, version) ??
    refuseLength(body, model) ??
    refuseTurns(messages, model, body) ??
    refuseTools(body, model) ??
    refuseToolPairs(messages) ??
    refuseSearches(messages) ??
    refuseThinking(body, model) ??
    refuseSampling(body, model) ??
    refuseCacheMarks(body) ??
    refusePictures(messages) ??
    refuseFormat(body) ??
    refuseStops(body) ??
    refuseContext(body, model)
  );
}

/** Two things that 2026-10-21 took away besides sampling. */
function refuseVersion(messages: readonly Json[], version: string): string | undefined {
  if (version !== '2026-10-21') return undefined;
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of records(message.content).entries()) {
      const path = `messages.${index}.content.${at}`;
      if (message.role === 'assistant' && block.type === 'document') {
        return `${path}: \`document\` blocks are not permitted in assistant messages`;
      }
      if (message.role === 'user' && block.type === 'text' && records(block.citations).length > 0) {
        return `${path}.text.citations: citations are not permitted on user text blocks`;
      }
    }
  }
  return undefined;
}

function refuseLength(body: Json, model: AnthropicModel): string | undefined {
  const limit = numeric(body.max_tokens) ?? 0;
  if (limit <= model.outputTokensMax) return undefined;
  return (
    `max_tokens: ${limit} > ${model.outputTokensMax}, which is the maximum allowed number of output tokens ` +
    `for ${model.name}`
  );
}

function refuseSampling(body: Json, model: AnthropicModel): string | undefined {
  const { temperature, top_p: topP, top_k: topK } = body;
  const thinking = record(body.thinking).type;
  const thinks = thinking === 'enabled' || thinking === 'adaptive';
  if (thinks && typeof temperature === 'number' && temperature !== 1) {
    return '`temperature` may only be set to 1 when thinking is enabled.';
  }
  if (thinks && typeof topK === 'number') return '`top_k` must be unset when thinking is enabled.';
  if (model.sampling === 'fixed') {
    if (typeof temperature === 'number' && temperature !== 1) {
      return '`temperature` may only be set to 1 for this model.';
    }
    if (typeof topP === 'number' && topP < 0.99) return '`top_p` must be at least 0.99 for this model.';
    if (typeof topK === 'number') return '`top_k` is not supported for this model.';
  }
  if (typeof temperature !== 'number' || typeof topP !== 'number') return undefined;
  return '`temperature` and `top_p` cannot both be specified for this model. Please use only one.';
}

function refuseStops(body: Json): string | undefined {
  const blank = strings(body.stop_sequences).some((stop) => stop.trim() === '');
  return blank ? 'stop_sequences: each stop sequence must contain non-whitespace' : undefined;
}

function refuseContext(body: Json, model: AnthropicModel): string | undefined {
  const tokens = messagesInputTokens(body);
  if (tokens <= model.contextTokens) return undefined;
  return `prompt is too long: ${tokens} tokens > ${model.contextTokens} maximum`;
}
