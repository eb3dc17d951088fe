import { newHexId } from '../answer/id.ts';
import type { Reply } from '../request/ask.ts';
import { jsonType, type Path, type Problem } from '../request/shape.ts';

export interface OpenaiError {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

export function openaiHeaders(): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'x-request-id': `req_${newHexId(32)}`,
    'openai-version': '2020-10-01',
    'openai-organization': 'tollgate-simulator',
    'openai-processing-ms': '12',
    'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
    'x-content-type-options': 'nosniff',
  };
}

export function openaiError(status: number, error: OpenaiError): Reply {
  const { message, type = 'invalid_request_error', param = null, code = null } = error;
  const body = JSON.stringify({ error: { message, type, param, code } }, null, 2);
  return { kind: 'reply', status, headers: openaiHeaders(), body };
}

/** 400 with the given code. */
export function invalid(message: string, param: string | null, code: string | null): Reply {
  return openaiError(400, { message, param, code });
}

/** Statuses and types of OpenAI's errors (rule V-13). */
const KINDS: ReadonlyMap<number, readonly [type: string, code: string | null]> = new Map([
  [401, ['invalid_request_error', 'invalid_api_key']],
  [403, ['permission_error', null]],
  [404, ['invalid_request_error', 'not_found']],
  [408, ['timeout', null]],
  [429, ['requests', 'rate_limit_exceeded']],
  [500, ['server_error', null]],
  [503, ['service_unavailable_error', 'server_is_overloaded']],
  [504, ['timeout', null]],
]);

export function openaiFailure(status: number, message: string): Reply {
  const [type, code] = KINDS.get(status) ?? [status < 500 ? 'invalid_request_error' : 'server_error', null];
  return openaiError(status, { message, type, code });
}

/** `messages[0].content[1].text` */
export function writePath(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}

/** Words of the newer validator, which both Chat Completions and Responses use for nested fields. */
export function describe(problem: Problem): Reply {
  const param = writePath(problem.path);
  switch (problem.code) {
    case 'unknown':
      return invalid(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');
    case 'missing':
      return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
    case 'type':
      return wrongType(problem, param);
    case 'value': {
      const got = typeof problem.got === 'string' ? `'${problem.got}'` : JSON.stringify(problem.got);
      return invalid(
        `Invalid value: ${got}. Supported values are: ${listed(problem)}.`,
        param,
        'invalid_value',
      );
    }
    case 'below':
    case 'above':
      return outOfRange(problem, param);
    case 'long':
      return invalid(
        `Invalid '${param}': string too long. Expected a string with maximum length ${problem.limit}, ` +
          `but got a string with length ${String(problem.got).length} instead.`,
        param,
        'string_above_max_length',
      );
    case 'pattern':
      return invalid(
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern ` +
          `'${problem.expected}'.`,
        param,
        'invalid_value',
      );
    case 'few':
      return invalid(
        `Invalid '${param}': empty array. Expected an array with minimum length ${problem.limit}, ` +
          `but got an empty array instead.`,
        param,
        'empty_array',
      );
    case 'many':
      return invalid(
        `Invalid '${param}': array too long. Expected an array with maximum length ${problem.limit}, ` +
          `but got an array with length ${String(problem.got)} instead.`,
        param,
        'array_above_max_length',
      );
  }
}

function wrongType(problem: Problem, param: string): Reply {
  const article = /^[aeiou]/.test(problem.expected ?? '') ? 'an' : 'a';
  const got = jsonType(problem.got);
  const instead = got === 'null' ? 'null' : `${/^[aeiou]/.test(got) ? 'an' : 'a'} ${got}`;
  return invalid(
    `Invalid type for '${param}': expected ${article} ${problem.expected}, but got ${instead} instead.`,
    param,
    'invalid_type',
  );
}

function outOfRange(problem: Problem, param: string): Reply {
  const [word, sign] = problem.code === 'below' ? ['below minimum', '>='] : ['above maximum', '<='];
  return invalid(
    `Invalid '${param}': ${problem.expected} ${word} value. Expected a value ${sign} ${problem.limit}, ` +
      `but got ${String(problem.got)} instead.`,
    param,
    `${problem.expected}_${problem.code === 'below' ? 'below_min' : 'above_max'}_value`,
  );
}

/** `'a', 'b', and 'c'` */
function listed(problem: Problem): string {
  const quoted = (problem.supported ?? []).map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}
