/** Names of fields that are secrets everywhere. Add the name of every new kind of secret. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'secret',
  'password',
  'password_hash',
  'api_key',
  'access_token',
  'refresh_token',
  'document_number',
]);

const DEPTH_MAX = 16;
/** Shorter secrets show none of their characters. */
const SPARING_LENGTH = 16;

/** The last four characters, if the secret is long enough. */
export function maskSecret(secret: string): string {
  return `…${secret.length >= SPARING_LENGTH ? secret.slice(-4) : ''}`;
}

/** For a document number: its end, by which its holder knows it, and never most of it. */
export function maskDocument(number: string): string {
  const seen = Math.min(4, Math.floor(number.length / 2));
  return `…${number.slice(number.length - seen)}`;
}

/** A copy in which all fields with secret names are masked. */
export function masked(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  if (Array.isArray(value)) return value.map((item) => masked(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const copied = Object.entries(value).map(([name, child]) => [name, maskedField(name, child, depth)]);
  return Object.fromEntries(copied);
}

function maskedField(name: string, value: unknown, depth: number): unknown {
  if (!SECRET_FIELDS.has(name)) return masked(value, depth + 1);
  return typeof value === 'string' ? maskSecret(value) : null;
}
