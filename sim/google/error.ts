import type { Reply } from '../request/ask.ts';
import { jsonType, type Path, type Problem } from '../request/shape.ts';

const STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

export function googleStatus(status: number): string {
  return STATUSES.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
}

export function googleHeaders(): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=UTF-8',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'x-xss-protection': '0',
    'server-timing': 'gfet4t7; dur=12',
  };
}

export function googleError(status: number, message: string, details?: readonly object[]): Reply {
  const error = {
    code: status,
    message,
    status: googleStatus(status),
    ...(details === undefined ? {} : { details }),
  };
  const body = `${JSON.stringify({ error }, null, 2)}\n`;
  return { kind: 'reply', status, headers: googleHeaders(), body };
}

export function googleKeyInvalid(): Reply {
  const message = 'API key not valid. Please pass a valid API key.';
  return googleError(400, message, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
    { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
  ]);
}

/** A rate limit says in its body how long to wait. */
export function googleFailure(status: number, message: string): Reply {
  const wait = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' };
  return googleError(status, message, status === 429 ? [wait] : undefined);
}

/** `tools[0].function_declarations[0].parameters` */
export function writePath(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${snake(step)}`))
    .join('');
}

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** All problems of the payload at once: each has its line and its field violation. */
export function describe(problems: readonly Problem[]): Reply {
  const worded = problems.map((problem) => ({ field: field(problem), description: words(problem) }));
  return googleError(400, worded.map(({ description }) => description).join('\n'), [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: worded },
  ]);
}

function field(problem: Problem): string {
  return writePath(problem.code === 'unknown' ? problem.path.slice(0, -1) : problem.path);
}

const ENUM_TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.Enum';

function words(problem: Problem): string {
  const path = writePath(problem.path);
  switch (problem.code) {
    case 'unknown': {
      const at = field(problem) === '' ? '' : ` at '${field(problem)}'`;
      return `Invalid JSON payload received. Unknown name "${problem.path.at(-1)}"${at}: Cannot find field.`;
    }
    case 'type':
      return jsonType(problem.got) === 'array'
        ? `Invalid JSON payload received. Unknown name "${lastName(problem.path)}": ` +
            'Proto field is not repeating, cannot start list.'
        : `Invalid value at '${path}' (${protoType(problem.expected)}), ${JSON.stringify(problem.got)}`;
    case 'value':
      return `Invalid value at '${path}' (${ENUM_TYPE}), ${JSON.stringify(problem.got)}`;
    case 'below':
    case 'above':
      return `* GenerateContentRequest.${path}: value ${String(problem.got)} is out of the supported range.`;
    case 'missing':
      return `* GenerateContentRequest.${path}: must be specified.`;
    default:
      return `Invalid value at '${path}', ${JSON.stringify(problem.got)}`;
  }
}

function lastName(path: Path): string {
  return String(path.filter((step) => typeof step === 'string').at(-1) ?? '');
}

function protoType(expected: string | undefined): string {
  const types: Readonly<Record<string, string>> = {
    string: 'TYPE_STRING',
    integer: 'TYPE_INT32',
    boolean: 'TYPE_BOOL',
  };
  return types[expected ?? ''] ?? 'TYPE_FLOAT';
}
