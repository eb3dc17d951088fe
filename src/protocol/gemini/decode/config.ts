import type { Effort } from '../../../kernel/capability.ts';
import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import { NO_THINKING, type OutputFormat, type Sampling, type Thinking } from '../../hub/request.ts';
import {
  dropUnknown,
  field,
  objectText,
  optionalFlag,
  optionalNumber,
  optionalObject,
  optionalText,
  requireTexts,
} from '../fields.ts';
import { schemaFromProto } from '../schema.ts';

const PATH = 'generationConfig';

const FIELDS: ReadonlySet<string> = new Set([
  'candidateCount',
  'stopSequences',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'responseModalities',
  'thinkingConfig',
]);

export interface DecodedConfig {
  readonly sampling: Sampling;
  readonly thinking: Thinking;
  readonly format: OutputFormat;
  readonly stop: readonly string[];
  readonly maxTokens: number | undefined;
  readonly answers: number;
  readonly logprobs: number | undefined;
}

export function decodeConfig(value: JsonValue | undefined, notes: Notes): DecodedConfig {
  const config = optionalObject(value, PATH) ?? {};
  dropUnknown(config, FIELDS, PATH, notes);
  refuseModalities(config);
  const number = (name: string): number | undefined => optionalNumber(field(config, name), `${PATH}.${name}`);
  return {
    sampling: {
      temperature: number('temperature'),
      topP: number('topP'),
      topK: number('topK'),
      frequencyPenalty: number('frequencyPenalty'),
      presencePenalty: number('presencePenalty'),
      seed: number('seed'),
    },
    thinking: decodeThinking(
      optionalObject(field(config, 'thinkingConfig'), `${PATH}.thinkingConfig`),
      notes,
    ),
    format: decodeFormat(config, notes),
    stop: requireTexts(field(config, 'stopSequences'), `${PATH}.stopSequences`),
    maxTokens: number('maxOutputTokens'),
    answers: Math.max(1, Math.floor(number('candidateCount') ?? 1)),
    logprobs: optionalFlag(field(config, 'responseLogprobs'), `${PATH}.responseLogprobs`)
      ? (number('logprobs') ?? 0)
      : undefined,
  };
}

/** A client that requests images or audio must not get a text instead. */
function refuseModalities(config: JsonObject): void {
  const path = `${PATH}.responseModalities`;
  for (const modality of requireTexts(field(config, 'responseModalities'), path)) {
    const name = modality.toUpperCase();
    if (name === 'TEXT' || name === 'MODALITY_UNSPECIFIED') continue;
    throw new Inexpressible(path, 'only text can be asked of another vendor');
  }
}

const THINKING_FIELDS: ReadonlySet<string> = new Set(['thinkingBudget', 'thinkingLevel', 'includeThoughts']);
const LEVELS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
};

function decodeThinking(config: JsonObject | undefined, notes: Notes): Thinking {
  if (config === undefined) return NO_THINKING;
  const path = `${PATH}.thinkingConfig`;
  dropUnknown(config, THINKING_FIELDS, path, notes);
  const level = (optionalText(field(config, 'thinkingLevel'), `${path}.thinkingLevel`) ?? '').toUpperCase();
  const budget = optionalNumber(field(config, 'thinkingBudget'), `${path}.thinkingBudget`);
  return {
    mode: modeOfBudget(budget),
    effort: Object.hasOwn(LEVELS, level) ? LEVELS[level] : undefined,
    budgetTokens: budget !== undefined && budget > 0 ? Math.floor(budget) : undefined,
    show: optionalFlag(field(config, 'includeThoughts'), `${path}.includeThoughts`),
    summaryStyle: undefined,
  };
}

/** 0 is off, −1 leaves it to the model, any other figure is a budget. */
function modeOfBudget(budget: number | undefined): Thinking['mode'] {
  if (budget === undefined) return undefined;
  if (budget === 0) return 'off';
  return budget < 0 ? 'adaptive' : 'budget';
}

function decodeFormat(config: JsonObject, notes: Notes): OutputFormat {
  const mime = optionalText(field(config, 'responseMimeType'), `${PATH}.responseMimeType`) ?? '';
  if (mime === 'text/x.enum') {
    // The answer is one bare word. A JSON format would put it in quotes.
    notes.drop(`${PATH}.responseMimeType`);
    return { kind: 'text' };
  }
  // The underscore is the field's original name.
  const json = field(config, 'responseJsonSchema') ?? config._responseJsonSchema ?? undefined;
  const given = json ?? field(config, 'responseSchema');
  if (given === undefined) return { kind: mime === 'application/json' ? 'json' : 'text' };
  const raw = objectText(given);
  if (raw === undefined) throw new Inexpressible(`${PATH}.responseSchema`, 'must be an object');
  const schema = json === undefined ? schemaFromProto(raw) : raw;
  return { kind: 'schema', name: undefined, description: undefined, schema, strict: undefined };
}
