import type { GoogleModel } from '../models.ts';
import { type Json, numeric, record, records, string, strings } from '../request/json.ts';
import { refuseSchema } from './tools.ts';

const CONFIG = '* GenerateContentRequest.generation_config';
const INT32_MAX = 2_147_483_647;

export function refuseConfig(body: Json, model: GoogleModel): string | undefined {
  const config = record(body.generationConfig);
  return (
    refuseRanges(config) ??
    refuseLength(config, model) ??
    refuseThinking(record(config.thinkingConfig), model) ??
    refuseFormat(config, body, model) ??
    refuseModel(config, model)
  );
}

/** Field, smallest, largest, and how the vendor names the field. */
const RANGES: readonly (readonly [name: string, min: number, max: number, written: string])[] = [
  ['temperature', 0, 2, 'temperature'],
  ['topP', 0, 1, 'top_p'],
  ['candidateCount', 1, 8, 'candidate_count'],
  ['seed', -INT32_MAX - 1, INT32_MAX, 'seed'],
  ['logprobs', 0, 20, 'logprobs'],
];

const STOPS_MAX = 5;

function refuseRanges(config: Json): string | undefined {
  for (const [name, min, max, written] of RANGES) {
    const value = numeric(config[name]);
    if (value === undefined || (value >= min && value <= max)) continue;
    return `${CONFIG}.${written}: ${written} must be in the range [${min}, ${max}].`;
  }
  if (strings(config.stopSequences).length > STOPS_MAX) {
    return `${CONFIG}.stop_sequences: the number of stop_sequences must not exceed ${STOPS_MAX}`;
  }
  if (config.logprobs === undefined || config.responseLogprobs === true) return undefined;
  return `${CONFIG}.logprobs: logprobs can only be set when response_logprobs is true.`;
}

function refuseLength(config: Json, model: GoogleModel): string | undefined {
  const limit = numeric(config.maxOutputTokens);
  if (limit === undefined || (limit >= 1 && limit <= model.outputTokensMax)) return undefined;
  return (
    `Unable to submit request because it has a maxOutputTokens value of ${limit} but the supported range ` +
    `is from 1 (inclusive) to ${model.outputTokensMax + 1} (exclusive). Update the value and try again.`
  );
}

function refuseThinking(thinking: Json, model: GoogleModel): string | undefined {
  const budget = numeric(thinking.thinkingBudget);
  const level = string(thinking.thinkingLevel).toUpperCase();
  if (budget !== undefined && level !== '') {
    return 'You can only set only one of thinking budget and thinking level.';
  }
  if (level !== '' && !model.levels.includes(level)) {
    return model.levels.length === 0
      ? 'Thinking level is not supported for this model.'
      : `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`;
  }
  if (budget === undefined || budget === -1) return undefined;
  const allowed = model.budget ?? { min: 1, max: 32_768, zero: 'refused' };
  if (budget === 0 && allowed.zero === 'refused') {
    return 'Budget 0 is invalid. This model only works in thinking mode.';
  }
  if (budget === 0 || (budget >= allowed.min && budget <= allowed.max)) return undefined;
  return (
    `The thinking budget ${budget} is invalid. Please choose a value between ${allowed.min} and ` +
    `${allowed.max}.`
  );
}

function refuseFormat(config: Json, body: Json, model: GoogleModel): string | undefined {
  const schemas = [config.responseSchema, config.responseJsonSchema].filter((schema) => schema !== undefined);
  if (schemas.length > 1) {
    return `${CONFIG}.response_json_schema: response_schema and response_json_schema are mutually exclusive.`;
  }
  const json = config.responseMimeType === 'application/json';
  if (schemas.length === 1 && !json) {
    return `${CONFIG}.response_schema: only allowed when response_mime_type is 'application/json'.`;
  }
  if (config.responseSchema !== undefined) {
    const problem = refuseSchema(record(config.responseSchema), `${CONFIG}.response_schema`, 0);
    if (problem !== undefined) return problem;
  }
  const functions = records(body.tools).some((tool) => tool.functionDeclarations !== undefined);
  if (!json || !functions || model.generation >= 3) return undefined;
  return "Function calling with a response mime type: 'application/json' is unsupported";
}

function refuseModel(config: Json, model: GoogleModel): string | undefined {
  if ((config.presencePenalty ?? config.frequencyPenalty) !== undefined) {
    return 'Penalty is not enabled for this model';
  }
  const picture = strings(config.responseModalities).includes('IMAGE');
  if (!picture || model.output === 'image') return undefined;
  return 'The requested combination of response modalities (IMAGE) is not supported by the model.';
}
