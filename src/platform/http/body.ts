import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../kernel/encoding/json.ts';
import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import { PLATFORM_BODY_BYTES_MAX, PLATFORM_JSON_DEPTH_MAX } from '../../operations/bounds.ts';
import { type Failure, fail } from '../../operations/failure.ts';

/** The bytes of a body within the limits of the process; see http/body.ts. */
export type BodyResult =
  | { readonly kind: 'body'; readonly bytes: Buffer; release(): void }
  | Refusal
  | { readonly kind: 'aborted' };

export type JsonBodyResult =
  | { readonly kind: 'json'; readonly value: unknown }
  | Failure
  | { readonly kind: 'aborted' };

const BOUNDS = { bytesMax: PLATFORM_BODY_BYTES_MAX, depthMax: PLATFORM_JSON_DEPTH_MAX };
/** Some clients write `utf8`. */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?$/i;

/** An absent body is an empty object. The schema decides whether that is enough. */
export function readJsonBody({ headers }: IncomingMessage, result: BodyResult): JsonBodyResult {
  if (isRefusal(result)) return translate(result.error.status, result.message);
  if (result.kind === 'aborted') return { kind: 'aborted' };
  try {
    if (result.bytes.length === 0) return { kind: 'json', value: {} };
    // This also blocks forms of other sites: a browser sends a preflight before it sends this type.
    if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
      return fail('badParameter', 'The header content-type must be application/json');
    }
    return parse(result.bytes);
  } finally {
    result.release();
  }
}

function parse(bytes: Buffer): JsonBodyResult {
  const text = decode(bytes);
  if (text === undefined) return fail('badParameter', 'The body is not UTF-8');
  const parsed = parseJson(text, BOUNDS);
  if (parsed.kind === 'invalid') return fail('badParameter', `The body is ${parsed.message}`);
  return { kind: 'json', value: parsed.value };
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The reader returns codes of the gateway; the envelope has its own. */
function translate(status: number, message: string): Failure {
  if (status === 413) return fail('bodyTooLarge');
  if (status === 503) return fail('busy', undefined, 1_000);
  return fail('badParameter', message);
}
