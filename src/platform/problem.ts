import { SHOWN_NAME_CHARS_MAX } from './bounds.ts';

/** What TypeBox tells of one breach. */
interface Breach {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** One sentence about the first problem, which names the field and repeats nothing of what was sent. */
export function describeProblem(breaches: readonly Breach[]): string {
  const first = breaches[0];
  if (first === undefined) return 'The request does not fit its schema';
  const field = fieldOf(first.instancePath);
  const constants = breaches
    .filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === first.instancePath)
    .map(({ params }) => (params as { allowedValue?: unknown }).allowedValue);
  if (constants.length > 0) return `${field} must be one of ${listed(constants)}`;
  return sentence(first, field);
}

function sentence({ keyword, instancePath, params, message }: Breach, field: string): string {
  const known = params as {
    requiredProperties?: readonly string[];
    additionalProperties?: readonly string[];
    allowedValues?: readonly unknown[];
    type?: unknown;
    limit?: unknown;
  };
  switch (keyword) {
    case 'required': {
      const missing = known.requiredProperties?.[0] ?? 'a field';
      return `${instancePath === '' ? missing : `${field}.${missing}`} is required`;
    }
    case 'additionalProperties':
      return `${field} has a field that is not known`;
    case 'enum':
      return `${field} must be one of ${listed(known.allowedValues ?? [])}`;
    case 'type':
      return `${field} must be ${typeName(known.type)}`;
    case 'minimum':
      return `${field} must be at least ${String(known.limit)}`;
    case 'maximum':
      return `${field} must be at most ${String(known.limit)}`;
    case 'minLength':
      return `${field} must have at least ${String(known.limit)} characters`;
    case 'maxLength':
      return `${field} must have at most ${String(known.limit)} characters`;
    case 'pattern':
      return `${field} does not have the right form`;
    default:
      return `${field} ${message}`;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

export function typeName(type: unknown): string {
  return TYPE_NAMES[String(type)] ?? 'of another type';
}

export function listed(values: readonly unknown[]): string {
  return values.map(String).join(', ');
}

/** `/models/0/name` is `models.0.name`; the path of the whole is the body itself. */
function fieldOf(instancePath: string): string {
  if (instancePath === '') return 'body';
  const names = instancePath.slice(1).split('/');
  return names.map((name) => name.slice(0, SHOWN_NAME_CHARS_MAX).replace(/[^\x21-\x7e]/g, '?')).join('.');
}
