import { ANSWERS_PER_CALL_MAX } from '../../../bounds.ts';
import { EFFORTS, type Effort } from '../../../kernel/capability.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import {
  type Metadata,
  NO_THINKING,
  type OutputFormat,
  type Sampling,
  type Thinking,
} from '../../hub/request.ts';
import { flagField, numberField, objectField, requireObject, textField } from '../fields.ts';
import { KNOWN_OPTIONS } from '../wire.ts';
import { rawText } from './tools.ts';

export function decodeSampling(body: JsonObject): Sampling {
  return {
    temperature: numberField(body, 'temperature', ''),
    topP: numberField(body, 'top_p', ''),
    topK: numberField(body, 'top_k', ''),
    frequencyPenalty: numberField(body, 'frequency_penalty', ''),
    presencePenalty: numberField(body, 'presence_penalty', ''),
    seed: numberField(body, 'seed', ''),
  };
}

export function decodeStop(body: JsonObject): readonly string[] {
  const stop = body.stop ?? undefined;
  if (stop === undefined) return [];
  const list = isArray(stop) ? stop : [stop];
  return list.map((value, index) => {
    if (typeof value === 'string') return value;
    throw new Inexpressible(`stop[${index}]`, 'is not a text');
  });
}

export function decodeAnswers(body: JsonObject): number {
  const answers = numberField(body, 'n', '') ?? 1;
  if (Number.isInteger(answers) && answers >= 1 && answers <= ANSWERS_PER_CALL_MAX) return answers;
  throw new Inexpressible('n', `is not a whole number from 1 to ${ANSWERS_PER_CALL_MAX}`);
}

export function decodeLogprobs(body: JsonObject): number | undefined {
  if (flagField(body, 'logprobs', '') !== true) return undefined;
  return numberField(body, 'top_logprobs', '') ?? 0;
}

/** Stored only if the client asks for it, unlike in Responses. */
export function decodeMetadata(body: JsonObject): Metadata | undefined {
  const fields = objectField(body, 'metadata', '');
  if (fields === undefined || Object.keys(fields).length === 0) return undefined;
  return { fields, isKept: body.store === true };
}

export function decodeFormat(body: JsonObject, notes: Notes): OutputFormat {
  const format = objectField(body, 'response_format', '');
  if (format === undefined || format.type === 'text') return { kind: 'text' };
  if (format.type === 'json_object') return { kind: 'json' };
  if (format.type !== 'json_schema') {
    notes.drop('response_format');
    return { kind: 'text' };
  }
  const path = 'response_format.json_schema';
  const definition = requireObject(format.json_schema, path);
  const schema = rawText(definition.schema, `${path}.schema`);
  // A name alone asks for JSON of no particular shape.
  if (schema === undefined) return { kind: 'json' };
  return {
    kind: 'schema',
    name: textField(definition, 'name', path),
    description: textField(definition, 'description', path),
    schema,
    strict: flagField(definition, 'strict', path),
  };
}

/**
 * `reasoning_effort` is the protocol's own field. The additions of OpenRouter (`reasoning`), of DeepSeek and
 * Zhipu (`thinking`) and of Qwen (`enable_thinking`) are read too, because clients of this protocol have no
 * other way to set a budget or to switch thinking off.
 */
export function decodeThinking(body: JsonObject): Thinking {
  const routed = objectField(body, 'reasoning', '');
  const switched = objectField(body, 'thinking', '');
  const effort = toEffort(body.reasoning_effort ?? undefined) ?? toEffort(routed?.effort);
  const budget = toBudget(routed?.max_tokens) ?? toBudget(switched?.budget_tokens);
  const isOff =
    effort === 'none' ||
    routed?.enabled === false ||
    switched?.type === 'disabled' ||
    body.enable_thinking === false;
  const show = routed?.exclude === true ? false : undefined;
  if (isOff) return { ...NO_THINKING, mode: 'off', effort: 'none', show };
  if (budget !== undefined) return { ...NO_THINKING, mode: 'budget', effort, budgetTokens: budget, show };
  const isOn = routed?.enabled === true || switched?.type === 'enabled' || body.enable_thinking === true;
  return { ...NO_THINKING, mode: isOn ? 'adaptive' : undefined, effort, show };
}

function toEffort(value: JsonValue | undefined): Effort | undefined {
  return EFFORTS.find((effort) => effort === value);
}

function toBudget(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** Notes options that no other vendor has, or that are unknown. Values without effect are not reported. */
export function noteUnknownOptions(body: JsonObject, notes: Notes): void {
  for (const [key, value] of Object.entries(body)) {
    if (KNOWN_OPTIONS.has(key) || value === undefined || value === null) continue;
    if (key === 'store' && value === false) continue;
    if (key === 'modalities' && isArray(value) && value.every((one) => one === 'text')) continue;
    notes.drop(key);
  }
  const effort = body.reasoning_effort ?? undefined;
  if (effort !== undefined && toEffort(effort) === undefined) notes.drop('reasoning_effort');
  const options = body.stream_options;
  if (!isObject(options)) return;
  for (const key of Object.keys(options)) if (key !== 'include_usage') notes.drop(`stream_options.${key}`);
}
