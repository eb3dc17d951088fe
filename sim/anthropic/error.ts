import { newId } from '../answer/id.ts';
import type { Reply } from '../request/ask.ts';
import type { Path, Problem } from '../request/shape.ts';

/** Statuses and types of Anthropic's errors (rule V-13). */
const TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

export function anthropicType(status: number): string {
  return TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

export function anthropicHeaders(): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'request-id': `req_${newId(24)}`,
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
    'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
    'x-robots-tag': 'none',
  };
}

/** `details` hold what the vendor's own SDK acts on. */
export function anthropicError(status: number, message: string, details?: object): Reply {
  const headers = anthropicHeaders();
  const retry = status < 500 && status !== 429 ? { 'x-should-retry': 'false' } : {};
  const body = JSON.stringify({
    type: 'error',
    error: { type: anthropicType(status), message, ...(details === undefined ? {} : { details }) },
    request_id: headers['request-id'],
  });
  return { kind: 'reply', status, headers: { ...headers, ...retry }, body };
}

/** `messages.0.content.1.text` */
export function writePath(path: Path): string {
  return path.join('.');
}

export function describe(problem: Problem): Reply {
  return anthropicError(400, `${writePath(problem.path)}: ${words(problem)}`);
}

export function words(problem: Problem): string {
  switch (problem.code) {
    case 'unknown':
      return 'Extra inputs are not permitted';
    case 'missing':
      return 'Field required';
    case 'type':
      return `Input should be a valid ${TYPE_WORDS.get(problem.expected ?? '') ?? problem.expected}`;
    case 'value': {
      const tags = (problem.supported ?? []).map((value) => `'${value}'`);
      const options = tags.length < 2 ? tags.join('') : `${tags.slice(0, -1).join(', ')} or ${tags.at(-1)}`;
      return `Input should be ${options}`;
    }
    case 'below':
      return `Input should be greater than or equal to ${problem.limit}`;
    case 'above':
      return `Input should be less than or equal to ${problem.limit}`;
    case 'long':
      return `String should have at most ${problem.limit} characters`;
    case 'pattern':
      return `String should match pattern '${problem.expected}'`;
    case 'few':
      return `List should have at least ${problem.limit} item after validation, not ${String(problem.got)}`;
    case 'many':
      return `List should have at most ${problem.limit} items after validation, not ${String(problem.got)}`;
  }
}

const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ['object', 'dictionary'],
  ['decimal', 'number'],
  ['string or array', 'array'],
]);
