import type { Target } from '../../hub/codec.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import { endsWithPrefill, everyPart } from '../../hub/fit/turns.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import { isCited, isDetailed, isMarked, type TextPart } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { describedSchema } from '../../hub/schema/schema.ts';
import { type MarkPolicy, type Prompt, settleMarks } from './cache-marks.ts';
import { encodeMark } from './parts.ts';
import { strictSchema } from './strict-schema.ts';
import { type EncodedThinking, encodeThinking } from './thinking.ts';
import { type EncodedTools, encodeTools } from './tools.ts';
import { arrangeTurns, encodeTurns, endsWithBareCall, trimPrefill } from './turns.ts';

/** The longest `metadata.user_id`. */
const USER_ID_MAX = 256;

/** The body for a vendor. The order of its fields is fixed, so that caches work. */
export function encodeRequest(request: HubRequest, target: Target, notes: Notes): JsonObject {
  if (request.answers > 1) {
    throw new Inexpressible(notes.getClientName('answers'), 'the vendor gives one answer at a time');
  }
  loseOptions(request, notes);
  const maxTokens = encodeLimit(request, target, notes);
  const tools = encodeTools(request, target, notes);
  const { system, turns } = arrangeTurns(request, target);
  const thinking = encodeThinking(
    request,
    {
      capabilities: target.capabilities,
      maxTokens,
      isForced: tools.choice?.type === 'any' || tools.choice?.type === 'tool',
      // A model that thinks gets no beginning of an answer, so the call before it is the last part.
      isBareCall: endsWithBareCall(trimPrefill(turns, 'refused')),
    },
    notes,
  );
  const format = encodeFormat(request, target, notes);
  const thinks = thinking.thinking !== undefined && thinking.thinking.type !== 'disabled';
  const isPrefillable = target.capabilities.prefill && !thinks && format.native === undefined;
  if (!isPrefillable && endsWithPrefill(turns)) notes.lose('prefill');
  const context = { request, target };
  const prompt: Prompt = {
    tools: tools.tools,
    system: encodeSystem(system, [format.instruction, tools.instruction]),
    messages: encodeTurns(trimPrefill(turns, isPrefillable ? 'allowed' : 'refused'), context),
  };
  const settled = settleMarks(prompt, markPolicy(request, target, notes));
  return {
    model: target.model,
    max_tokens: maxTokens,
    ...(settled.system.length === 0 ? {} : { system: settled.system }),
    messages: settled.messages.map(({ role, content }) => ({ role, content })),
    ...encodeToolFields(settled.tools, tools),
    ...encodeThinkingFields(thinking, format.native),
    ...encodeSampling(request, target, thinks ? 'thinking' : 'plain', notes),
    ...encodeStop(request, target, notes),
    ...(request.stream ? { stream: true } : {}),
    ...encodeUser(request, notes),
  };
}

/** Notes the options that the protocol does not have. */
function loseOptions({ sampling, ...request }: HubRequest, notes: Notes): void {
  if (sampling.frequencyPenalty !== undefined) notes.lose('frequencyPenalty');
  if (sampling.presencePenalty !== undefined) notes.lose('presencePenalty');
  if (sampling.seed !== undefined) notes.lose('seed');
  if (request.logprobs !== undefined) notes.lose('logprobs');
  if (request.verbosity !== undefined) notes.lose('verbosity');
  if (request.metadata !== undefined) notes.lose('metadata');
  if (request.cacheKey !== undefined) notes.lose('cacheKey');
  if (request.serviceTier !== undefined && request.serviceTier !== 'auto') notes.lose('serviceTier');
  const parts = everyPart(request);
  if (parts.some(isDetailed)) notes.lose('detail');
  // A citation needs an index that only the vendor can make (rule C-67).
  if (parts.some(isCited)) notes.lose('citations');
}

/** The vendor requires a limit. Without one from the client it is the model's maximum (rule C-47). */
function encodeLimit({ maxTokens }: HubRequest, { capabilities }: Target, notes: Notes): number {
  const { maxOutputTokens } = capabilities;
  if (maxTokens === undefined) return maxOutputTokens;
  if (maxTokens > maxOutputTokens) notes.lose('maxTokens');
  return Math.max(1, Math.min(Math.floor(maxTokens), maxOutputTokens));
}

function encodeSystem(
  system: readonly TextPart[],
  instructions: readonly (string | undefined)[],
): readonly JsonObject[] {
  const blocks = system.map(({ text, cache }) => ({ text, cache }));
  const added = instructions.filter((text) => text !== undefined).map((text) => ({ text, cache: undefined }));
  return [...blocks, ...added].map(({ text, cache }) => systemBlock(text, cache));
}

function systemBlock(text: string, cache: TextPart['cache']): JsonObject {
  return cache === undefined ? { type: 'text', text } : { type: 'text', text, ...encodeMark(cache) };
}

function encodeToolFields(tools: readonly JsonObject[], { choice }: EncodedTools): JsonObject {
  if (tools.length === 0) return {};
  return { tools, ...(choice === undefined ? {} : { tool_choice: choice }) };
}

function encodeThinkingFields(
  { thinking, effort }: EncodedThinking,
  format: JsonObject | undefined,
): JsonObject {
  const config = {
    ...(effort === undefined ? {} : { effort }),
    ...(format === undefined ? {} : { format }),
  };
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
  };
}

interface EncodedFormat {
  readonly native: JsonObject | undefined;
  readonly instruction: string | undefined;
}

/** If the vendor cannot enforce a schema, the model is asked to follow it. */
function encodeFormat({ format, tools }: HubRequest, { capabilities }: Target, notes: Notes): EncodedFormat {
  if (format.kind === 'text') return { native: undefined, instruction: undefined };
  if (format.kind === 'json') {
    return { native: undefined, instruction: 'Respond with a single JSON object and nothing else.' };
  }
  const isAllowed = tools.length === 0 || capabilities.structuredOutputWithTools;
  const described = describedSchema(format.schema, format.description);
  const schema = capabilities.structuredOutput && isAllowed ? strictSchema(described) : undefined;
  if (schema !== undefined) {
    return { native: { type: 'json_schema', schema: new RawJson(schema) }, instruction: undefined };
  }
  notes.lose('format');
  const instruction =
    'Respond with a single JSON value that is valid under the following JSON Schema, and nothing else:\n' +
    described;
  return { native: undefined, instruction };
}

/** Thinking and newer models allow no sampling options; most other models allow one of the two. */
function encodeSampling(
  { sampling }: HubRequest,
  { capabilities }: Target,
  mode: 'thinking' | 'plain',
  notes: Notes,
): JsonObject {
  const { temperature, topP, topK } = sampling;
  const isFree = capabilities.sampling !== 'none' && mode === 'plain';
  const isOneOf = capabilities.sampling === 'one-of' && temperature !== undefined;
  if (temperature !== undefined && (isFree ? temperature > 1 : temperature !== 1)) notes.lose('temperature');
  if (topP !== undefined && (!isFree || isOneOf) && topP !== 1) notes.lose('topP');
  if (topK !== undefined && !isFree) notes.lose('topK');
  if (!isFree) return {};
  return {
    ...(temperature === undefined ? {} : { temperature: Math.max(0, Math.min(temperature, 1)) }),
    ...(topP === undefined || isOneOf ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
  };
}

/** If the model has no stop sequences, the hub cuts the text itself. */
function encodeStop({ stop }: HubRequest, { capabilities }: Target, notes: Notes): JsonObject {
  if (!capabilities.stopSequences) return {};
  const usable = stop.filter((text) => text.trim() !== '');
  if (usable.length < stop.length) notes.lose('stop');
  return usable.length === 0 ? {} : { stop_sequences: usable };
}

function encodeUser({ endUser }: HubRequest, notes: Notes): JsonObject {
  if (endUser === undefined || endUser === '') return {};
  if (endUser.length <= USER_ID_MAX) return { metadata: { user_id: endUser } };
  notes.lose('endUser');
  return {};
}

function markPolicy(request: HubRequest, { capabilities }: Target, notes: Notes): MarkPolicy {
  if (capabilities.cacheMarks) return request.client === 'messages' ? 'client' : 'ours';
  if (hasMarks(request)) notes.lose('cacheMarks');
  return 'none';
}

function hasMarks(request: HubRequest): boolean {
  const hasTool = request.tools.some((tool) => tool.kind === 'function' && tool.cached === true);
  return hasTool || everyPart(request).some(isMarked);
}
