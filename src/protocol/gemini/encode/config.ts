import type { Capabilities } from '../../../kernel/capability.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { HubRequest } from '../../hub/request.ts';
import { describedSchema } from '../../hub/schema/schema.ts';
import { schemaForGoogle } from '../schema.ts';
import { encodeThinking } from './thinking.ts';

const STOPS_MAX = 5;
const ANSWERS_MAX = 8;
const LOGPROBS_MAX = 20;
const INT32_MAX = 2_147_483_647;

export function encodeConfig(
  request: HubRequest,
  capabilities: Capabilities,
  notes: Notes,
): JsonObject | undefined {
  if (request.answers > ANSWERS_MAX) {
    throw new Inexpressible(
      notes.getClientName('answers'),
      `the vendor gives at most ${ANSWERS_MAX} answers at once`,
    );
  }
  const config: JsonObject = {
    candidateCount: request.answers > 1 ? request.answers : undefined,
    stopSequences: encodeStop(request, capabilities, notes),
    maxOutputTokens: encodeMaxTokens(request.maxTokens, capabilities, notes),
    ...encodeSampling(request, capabilities, notes),
    ...encodeLogprobs(request.logprobs),
    ...encodeFormat(request, capabilities),
    thinkingConfig: encodeThinking(request, capabilities, notes),
  };
  return Object.values(config).every((value) => value === undefined) ? undefined : config;
}

function encodeStop(
  request: HubRequest,
  capabilities: Capabilities,
  notes: Notes,
): readonly string[] | undefined {
  const stop = request.stop.filter((word) => word !== '');
  // If the model has none, the hub searches for them itself.
  if (stop.length === 0 || !capabilities.stopSequences) return undefined;
  if (stop.length > STOPS_MAX) notes.lose('stop');
  return stop.slice(0, STOPS_MAX);
}

/** A limit above the model's maximum is refused. The client meant "as much as possible". */
function encodeMaxTokens(
  maxTokens: number | undefined,
  { maxOutputTokens }: Capabilities,
  notes: Notes,
): number | undefined {
  if (maxTokens === undefined) return undefined;
  if (maxOutputTokens > 0 && maxTokens > maxOutputTokens) notes.lose('maxTokens');
  return Math.max(1, Math.floor(maxOutputTokens > 0 ? Math.min(maxTokens, maxOutputTokens) : maxTokens));
}

function encodeSampling(request: HubRequest, capabilities: Capabilities, notes: Notes): JsonObject {
  const { temperature, topP, topK, seed, frequencyPenalty, presencePenalty } = request.sampling;
  const isFree = capabilities.sampling !== 'none';
  const takesTopP = isFree && (capabilities.sampling === 'all' || temperature === undefined);
  const fitsSeed = seed === undefined || (Number.isInteger(seed) && Math.abs(seed) <= INT32_MAX);
  if (temperature !== undefined && !isFree) notes.lose('temperature');
  if (topP !== undefined && !takesTopP) notes.lose('topP');
  if (topK !== undefined && !isFree) notes.lose('topK');
  if (!fitsSeed) notes.lose('seed');
  if (frequencyPenalty !== undefined && !capabilities.penalties) notes.lose('frequencyPenalty');
  if (presencePenalty !== undefined && !capabilities.penalties) notes.lose('presencePenalty');
  return {
    temperature: isFree && temperature !== undefined ? Math.max(0, Math.min(temperature, 2)) : undefined,
    topP: takesTopP ? topP : undefined,
    topK: isFree ? topK : undefined,
    seed: fitsSeed ? seed : undefined,
    frequencyPenalty: capabilities.penalties ? frequencyPenalty : undefined,
    presencePenalty: capabilities.penalties ? presencePenalty : undefined,
  };
}

function encodeLogprobs(logprobs: number | undefined): JsonObject {
  if (logprobs === undefined) return {};
  return { responseLogprobs: true, logprobs: Math.max(0, Math.min(logprobs, LOGPROBS_MAX)) };
}

function encodeFormat(request: HubRequest, capabilities: Capabilities): JsonObject {
  const { format } = request;
  if (format.kind === 'text' || !takesFormat(request, capabilities)) return {};
  if (format.kind === 'json') return { responseMimeType: 'application/json' };
  return {
    responseMimeType: 'application/json',
    responseJsonSchema: new RawJson(schemaForGoogle(describedSchema(format.schema, format.description))),
  };
}

/** Before Gemini 3 a format and functions exclude each other (rule C-48). */
function takesFormat(request: HubRequest, capabilities: Capabilities): boolean {
  if (!capabilities.structuredOutput) return false;
  return capabilities.structuredOutputWithTools || request.tools.length === 0;
}

/** The format as an instruction, for a model without this option here; otherwise `undefined`. */
export function formatInstruction(
  request: HubRequest,
  capabilities: Capabilities,
  notes: Notes,
): string | undefined {
  const { format } = request;
  if (format.kind === 'text' || takesFormat(request, capabilities)) return undefined;
  notes.lose('format');
  const order = 'When you give your final answer, respond with a single JSON object and nothing else.';
  if (format.kind === 'json') return order;
  return `${order} It must match this JSON Schema: ${describedSchema(format.schema, format.description)}`;
}
