import type { Capabilities, Effort } from '../../../kernel/capability.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import { clampEffort, effortOfBudget } from '../../hub/effort.ts';
import { shortHash } from '../../hub/fit/names.ts';
import type { HubRequest, Thinking } from '../../hub/request.ts';
import { isStrictSchema } from '../../hub/schema/strict-schema.ts';
import type { PartContext } from './parts.ts';

const STOPS_MAX = 4;
const USER_LENGTH_MAX = 64;
const FORMAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const TIERS: readonly string[] = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'];

/** The effort in the model's own levels. `undefined` leaves it to the model. */
export function encodeEffort(request: HubRequest, { capabilities, notes }: PartContext): Effort | undefined {
  const { thinking, tools } = request;
  const wanted = wantedEffort(request.thinking, capabilities);
  // Some models accept function tools only without thinking (rule C-39).
  const mustStop = tools.length > 0 && !capabilities.chatToolsWithThinking;
  if (mustStop && capabilities.efforts.includes('none')) {
    if (wanted !== undefined && wanted !== 'none') notes.lose('thinking');
    return 'none';
  }
  if (wanted === undefined) return undefined;
  const effort = capabilities.thinking === 'none' ? undefined : clampEffort(wanted, capabilities.efforts);
  const isKept = effort === wanted || (effort !== undefined && wanted !== 'none');
  // A model that does not think by default needs no setting to switch thinking off.
  if (wanted === 'none' && effort !== 'none' && !capabilities.thinksByDefault) return undefined;
  if (!isKept || thinking.mode === 'between-tools') notes.lose('thinking');
  return effort;
}

function wantedEffort(thinking: Thinking, { thinksByDefault }: Capabilities): Effort | undefined {
  if (thinking.mode === 'off') return 'none';
  if (thinking.effort !== undefined) return thinking.effort;
  if (thinking.mode === 'budget' && thinking.budgetTokens !== undefined) {
    return effortOfBudget(thinking.budgetTokens);
  }
  // The client wants thinking but sets no effort, and the model may not think by default.
  return thinking.mode === undefined || thinksByDefault ? undefined : 'medium';
}

export function encodeSampling(
  request: HubRequest,
  context: PartContext,
  effort: Effort | undefined,
): JsonObject {
  const { sampling, stop, logprobs } = request;
  const { capabilities, notes } = context;
  // A model that does not think in this call accepts options that it otherwise refuses.
  const isQuiet = capabilities.thinking === 'effort' && effort === 'none';
  const takes = isQuiet ? 'all' : capabilities.sampling;
  const keepsBoth = takes === 'all' || (takes === 'one-of' && sampling.temperature === undefined);
  const temperature = takes === 'none' ? undefined : sampling.temperature;
  const topP = keepsBoth ? sampling.topP : undefined;
  const penalties = capabilities.penalties || isQuiet;
  const frequency = penalties ? sampling.frequencyPenalty : undefined;
  const presence = penalties ? sampling.presencePenalty : undefined;
  const stops = capabilities.stopSequences ? stop.slice(0, STOPS_MAX) : [];
  const top = takes === 'none' ? undefined : logprobs;
  if (temperature !== sampling.temperature) notes.lose('temperature');
  if (topP !== sampling.topP) notes.lose('topP');
  if (sampling.topK !== undefined) notes.lose('topK');
  if (frequency !== sampling.frequencyPenalty) notes.lose('frequencyPenalty');
  if (presence !== sampling.presencePenalty) notes.lose('presencePenalty');
  if (stops.length < stop.length) notes.lose('stop');
  if (top !== logprobs) notes.lose('logprobs');
  return {
    temperature,
    top_p: topP,
    frequency_penalty: frequency,
    presence_penalty: presence,
    seed: sampling.seed,
    stop: stops.length === 0 ? undefined : stops,
    logprobs: top === undefined ? undefined : true,
    top_logprobs: top === undefined || top === 0 ? undefined : top,
  };
}

/** DeepSeek, Mistral and others never adopted the new name of the limit; OpenAI refuses the old one. */
export function encodeLimit({ maxTokens }: HubRequest, { capabilities, notes }: PartContext): JsonObject {
  if (maxTokens === undefined) return {};
  const limit = Math.min(maxTokens, capabilities.maxOutputTokens);
  if (limit < maxTokens) notes.lose('maxTokens');
  return isNew(capabilities) ? { max_completion_tokens: limit } : { max_tokens: limit };
}

/** Who must be sent earlier thinking as a field is of the kind of DeepSeek, whatever else is said of it. */
function isNew({ maxCompletionTokens, reasoningContent }: PartContext['capabilities']): boolean {
  return maxCompletionTokens && !reasoningContent;
}

export function encodeIdentity(request: HubRequest, { client, notes }: PartContext): JsonObject {
  const { endUser, cacheKey, serviceTier, metadata } = request;
  // Tiers of Anthropic and Google have the same names but other meanings.
  const isTier = (client === 'chat' || client === 'responses') && TIERS.includes(serviceTier ?? '');
  if (serviceTier !== undefined && !isTier) notes.lose('serviceTier');
  // OpenAI accepts metadata only for answers that it stores.
  if (metadata?.isKept === false) notes.lose('metadata');
  return {
    ...(metadata?.isKept === true ? { store: true, metadata: metadata.fields } : {}),
    user: endUser === undefined ? undefined : fittingUser(endUser),
    prompt_cache_key: cacheKey,
    service_tier: isTier ? serviceTier : undefined,
  };
}

/** A name that is too long is replaced with a short one that still identifies the user. */
function fittingUser(endUser: string): string {
  if (endUser.length <= USER_LENGTH_MAX) return endUser;
  const hash = shortHash(endUser);
  return `${endUser.slice(0, USER_LENGTH_MAX - hash.length - 1)}_${hash}`;
}

export interface EncodedFormat {
  readonly format: JsonObject | undefined;
  /** Text that asks for what the vendor has no option for. */
  readonly instruction: string | undefined;
}

export function encodeFormat(request: HubRequest, context: PartContext): EncodedFormat {
  const { format, tools } = request;
  const { capabilities, notes } = context;
  if (format.kind === 'text') return { format: undefined, instruction: undefined };
  const isApart = capabilities.structuredOutputWithTools || tools.length === 0;
  if (format.kind === 'schema' && capabilities.structuredOutput && isApart) {
    return { format: encodeSchema(format, context), instruction: undefined };
  }
  const json = isApart ? { type: 'json_object' } : undefined;
  if (format.kind === 'schema') {
    notes.lose('format');
    const words = `Respond with a single JSON object that matches this JSON Schema, and with nothing else:`;
    return { format: json, instruction: `${words}\n${format.schema}` };
  }
  // OpenAI refuses JSON mode unless a message contains the word "JSON".
  const mentioned = json !== undefined && mentionsJson(request);
  const words = 'Respond with a single JSON object, and with nothing else.';
  return { format: json, instruction: mentioned ? undefined : words };
}

function encodeSchema(
  format: Extract<HubRequest['format'], { readonly kind: 'schema' }>,
  { client }: PartContext,
): JsonObject {
  const { name, description, schema } = format;
  // Anthropic and Google always enforce the schema, so OpenAI is asked to, if it can.
  const isLenient = client === 'chat' || client === 'responses';
  const strict = isLenient || format.strict === false ? format.strict : isStrictSchema(schema);
  return {
    type: 'json_schema',
    json_schema: {
      name: name !== undefined && FORMAT_NAME.test(name) ? name : 'response',
      ...(description === undefined ? {} : { description }),
      schema: new RawJson(schema),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

function mentionsJson({ system, turns }: HubRequest): boolean {
  const texts = [...system, ...turns.flatMap(({ parts }) => parts)];
  return texts.some((part) => part.kind === 'text' && /json/i.test(part.text));
}
