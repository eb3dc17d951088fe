import { isArray, type JsonObject } from '../../hub/content/json.ts';
import type { FieldNames, HubField, Notes } from '../../hub/notes.ts';
import type { HubRequest } from '../../hub/request.ts';
import { flagField, numberField, objectField, textField } from '../fields.ts';
import { decodeMessages } from './messages.ts';
import {
  decodeAnswers,
  decodeFormat,
  decodeLogprobs,
  decodeMetadata,
  decodeSampling,
  decodeStop,
  decodeThinking,
  noteUnknownOptions,
} from './options.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

/** Answers of this protocol echo nothing of the request. */
const NO_ECHO: ReadonlyMap<string, string> = new Map();

export function decodeChatRequest(body: JsonObject, notes: Notes): HubRequest {
  noteUnknownOptions(body, notes);
  const stream = flagField(body, 'stream', '') === true;
  const options = objectField(body, 'stream_options', '');
  const legacy = isLegacy(body);
  return {
    client: 'chat',
    stream,
    ...decodeMessages(body, notes),
    ...decodeTools(body, notes),
    toolChoice: decodeToolChoice(body, notes),
    // The old style allowed one call at a time.
    parallelCalls: flagField(body, 'parallel_tool_calls', '') ?? (legacy ? false : undefined),
    ...(legacy ? { legacyFunctions: true } : {}),
    thinking: decodeThinking(body),
    format: decodeFormat(body, notes),
    verbosity: textField(body, 'verbosity', ''),
    sampling: decodeSampling(body),
    stop: decodeStop(body),
    maxTokens: numberField(body, 'max_completion_tokens', '') ?? numberField(body, 'max_tokens', ''),
    answers: decodeAnswers(body),
    logprobs: decodeLogprobs(body),
    endUser: textField(body, 'safety_identifier', '') ?? textField(body, 'user', ''),
    metadata: decodeMetadata(body),
    cacheKey: textField(body, 'prompt_cache_key', ''),
    serviceTier: textField(body, 'service_tier', ''),
    spelled: findSpelling(body, notes),
    includeUsage: stream && options?.include_usage === true,
    echo: NO_ECHO,
  };
}

/** Options with an old and a new name. Of two the first counts, and `usual` is the name in the report. */
const SPELLINGS: readonly { readonly field: HubField; readonly names: [string, string]; usual: string }[] = [
  { field: 'endUser', names: ['safety_identifier', 'user'], usual: 'user' },
  { field: 'maxTokens', names: ['max_completion_tokens', 'max_tokens'], usual: 'max_completion_tokens' },
  { field: 'toolChoice', names: ['tool_choice', 'function_call'], usual: 'tool_choice' },
  { field: 'tools', names: ['tools', 'functions'], usual: 'tools' },
];

function findSpelling(body: JsonObject, notes: Notes): Partial<FieldNames> | undefined {
  const spelled: Partial<Record<HubField, string>> = {};
  for (const { field, names, usual } of SPELLINGS) {
    const [first, second] = names.filter((name) => (body[name] ?? undefined) !== undefined);
    if (first !== undefined && first !== usual) spelled[field] = first;
    // Tools of both styles are declared together.
    const isLost = first !== undefined && second !== undefined && body[first] !== body[second];
    if (isLost && field !== 'tools') notes.drop(second);
  }
  return Object.keys(spelled).length === 0 ? undefined : spelled;
}

/** `functions` is the old way to declare tools. Clients that use it expect calls in that form. */
function isLegacy(body: JsonObject): boolean {
  const has = (name: string): boolean => isArray(body[name]) && body[name].length > 0;
  return has('functions') && !has('tools');
}
