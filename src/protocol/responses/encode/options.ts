import type { Effort } from '../../../kernel/capability.ts';
import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import { clampEffort, effortOfBudget } from '../../hub/effort.ts';
import type { HubField } from '../../hub/notes.ts';
import type { OutputFormat } from '../../hub/request.ts';
import { isStrictSchema } from '../../hub/schema/strict-schema.ts';
import type { PartScope } from './parts.ts';
import { TIERS } from './response-object.ts';

/** The vendor's smallest limit (rule C-47). */
const OUTPUT_TOKENS_MIN = 16;
const IDENTIFIER_CHARS_MAX = 64;
const FORMAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Thinking, sampling, limits and the rest, in a fixed order. */
export function encodeOptions(scope: PartScope): JsonObject {
  const { request, target } = scope;
  const effort = effortFor(scope);
  const isSampled = target.capabilities.sampling !== 'none' || effort === 'none';
  loseOthers(scope);
  return {
    reasoning: encodeReasoningOption(scope, effort),
    text: encodeText(scope),
    max_output_tokens: encodeMaxTokens(scope),
    ...(isSampled ? encodeSampling(scope) : loseSampling(scope)),
    ...encodeInclude(scope, isSampled ? request.logprobs : undefined),
    prompt_cache_key: request.cacheKey === undefined ? undefined : shortened(request.cacheKey),
    safety_identifier: request.endUser === undefined ? undefined : shortened(request.endUser),
    metadata: request.metadata?.fields,
    service_tier: encodeTier(scope),
    store: false,
    stream: request.stream ? true : undefined,
  };
}

/** The effort that the client wants; `undefined` if it leaves that to the model. */
function effortFor(scope: PartScope): Effort | undefined {
  const { thinking } = scope.request;
  const { capabilities } = scope.target;
  const { mode, effort, budgetTokens } = thinking;
  const isSet = mode !== undefined || effort !== undefined;
  if (capabilities.thinking === 'none') {
    if (isSet && mode !== 'off' && effort !== 'none') scope.notes.lose('thinking');
    return undefined;
  }
  const budgeted = budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens);
  const wanted = mode === 'off' ? 'none' : (effort ?? budgeted);
  if (wanted === undefined) return undefined;
  const clamped = clampEffort(wanted, capabilities.efforts);
  if (clamped === 'minimal' && scope.request.webSearch !== undefined && capabilities.webSearch) {
    // The vendor does not search with so little effort.
    scope.notes.lose('thinking');
    return 'low';
  }
  if (clamped === undefined && wanted !== 'none') scope.notes.lose('thinking');
  return clamped;
}

function encodeReasoningOption(scope: PartScope, effort: Effort | undefined): JsonObject | undefined {
  const { show, summaryStyle } = scope.request.thinking;
  const isVisible = show === true && scope.target.capabilities.thinking !== 'none' && effort !== 'none';
  const summary = isVisible ? (summaryStyle ?? 'auto') : undefined;
  return effort === undefined && summary === undefined ? undefined : { effort, summary };
}

function encodeMaxTokens(scope: PartScope): number | undefined {
  const { maxTokens } = scope.request;
  if (maxTokens === undefined) return undefined;
  const within = Math.max(OUTPUT_TOKENS_MIN, Math.min(maxTokens, scope.target.capabilities.maxOutputTokens));
  if (within !== maxTokens) scope.notes.lose('maxTokens');
  return within;
}

function encodeSampling(scope: PartScope): JsonObject {
  const { temperature, topP } = scope.request.sampling;
  const isOne = scope.target.capabilities.sampling === 'one-of' && temperature !== undefined;
  if (isOne && topP !== undefined) scope.notes.lose('topP');
  return { temperature, top_p: isOne ? undefined : topP };
}

/** A value that equals the default is not a loss. */
function loseSampling(scope: PartScope): JsonObject {
  const { temperature, topP } = scope.request.sampling;
  if (temperature !== undefined && temperature !== 1) scope.notes.lose('temperature');
  if (topP !== undefined && topP !== 1) scope.notes.lose('topP');
  if (scope.request.logprobs !== undefined) scope.notes.lose('logprobs');
  return {};
}

function loseOthers(scope: PartScope): void {
  const { sampling } = scope.request;
  const fields = ['topK', 'frequencyPenalty', 'presencePenalty', 'seed'] as const satisfies HubField[];
  for (const field of fields) {
    const value = sampling[field];
    const isNeutral = value === 0 && field.endsWith('Penalty');
    if (value !== undefined && !isNeutral) scope.notes.lose(field);
  }
}

/** Without the ciphertext a conversation that is not stored would lose its reasoning (rule C-39). */
function encodeInclude(scope: PartScope, logprobs: number | undefined): JsonObject {
  const { client, webSearch } = scope.request;
  const wantsPages = client === 'messages' && webSearch !== undefined && scope.target.capabilities.webSearch;
  const include = [
    // Clients of Messages get the pages of a search.
    ...(wantsPages ? ['web_search_call.action.sources'] : []),
    ...(scope.target.capabilities.thinking === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
  ];
  return { top_logprobs: logprobs, include: include.length === 0 ? undefined : include };
}

/** Long names (Claude Code puts JSON there) are hashed: the same user stays the same user. */
function shortened(text: string): string {
  return text.length <= IDENTIFIER_CHARS_MAX ? text : sha256Hex(text);
}

function encodeTier(scope: PartScope): string | undefined {
  const { client, serviceTier } = scope.request;
  if (serviceTier === undefined) return undefined;
  // Compatible vendors have tiers of their own, which OpenAI refuses.
  const isTier = serviceTier === 'auto' || TIERS.includes(serviceTier);
  if (isTier && (client === 'chat' || client === 'responses')) return serviceTier;
  scope.notes.lose('serviceTier');
  return undefined;
}

function encodeText(scope: PartScope): JsonObject | undefined {
  const { format, verbosity } = scope.request;
  const encoded = encodeFormat(format, scope);
  return encoded === undefined && verbosity === undefined ? undefined : { format: encoded, verbosity };
}

function encodeFormat(format: OutputFormat, scope: PartScope): JsonObject | undefined {
  if (format.kind === 'text') return undefined;
  if (format.kind === 'json') return { type: 'json_object' };
  if (!scope.target.capabilities.structuredOutput) {
    scope.notes.lose('format');
    return { type: 'json_object' };
  }
  const { name, description, schema } = format;
  return {
    type: 'json_schema',
    name: name !== undefined && FORMAT_NAME.test(name) ? name : 'response',
    description,
    schema: new RawJson(schema),
    strict: strictFormat(format, scope),
  };
}

/** Messages and generateContent are always strict; here the schema must qualify for it. */
function strictFormat(
  format: Extract<OutputFormat, { kind: 'schema' }>,
  scope: PartScope,
): boolean | undefined {
  const { client } = scope.request;
  if (client === 'chat' || client === 'responses') return format.strict;
  return isStrictSchema(format.schema);
}
