import { WHOLE_REQUEST_BYTES_MAX, WHOLE_REQUEST_VALUES_MAX } from '../../../bounds.ts';
import { type Refusal, refuse } from '../../../kernel/errors.ts';
import { WHOLE_ESCAPED_CHARS_MAX } from '../../bounds.ts';
import type { JsonScan } from '../../bytes/scan.ts';
import { finishNow, type Sliced } from '../../bytes/slices.ts';
import { type JsonObject, readJson, type ValueBudget } from './json.ts';

const MIB = 1024 * 1024;

/** For one request, in however many pieces it is read. */
export function wholeBudget(): ValueBudget {
  return { left: WHOLE_REQUEST_VALUES_MAX, escapedLeft: WHOLE_ESCAPED_CHARS_MAX };
}

export function isTooLarge(bytes: number): boolean {
  return bytes > WHOLE_REQUEST_BYTES_MAX;
}

/** Whether parsing would exceed the budget, known beforehand from the scan. */
export function isTooMuch({ values, escapedBytes, at }: JsonScan): boolean {
  return isTooLarge(at) || values > WHOLE_REQUEST_VALUES_MAX || escapedBytes > WHOLE_ESCAPED_CHARS_MAX;
}

/** Such a request can still pass to a vendor of its own protocol, so the error is not simply "too large". */
export function tooLarge(): Refusal {
  const text = `${WHOLE_ESCAPED_CHARS_MAX / MIB} MiB of text with escapes`;
  const bounds = `${WHOLE_REQUEST_BYTES_MAX / MIB} MiB, ${text}, or ${WHOLE_REQUEST_VALUES_MAX} JSON values`;
  return refuse('notExpressible', {
    message: `A request of more than ${bounds} can be neither converted nor continued`,
  });
}

/**
 * Parses the body of a client. Each step blocks all other calls, and the result is several times the body's
 * size. So bodies larger than any ordinary client's are refused before that.
 */
export function* readWholeInTurns(body: Buffer, rawKeys: ReadonlySet<string>): Sliced<JsonObject | Refusal> {
  if (isTooLarge(body.length)) return tooLarge();
  const budget = wholeBudget();
  const text = body.toString('utf8');
  yield;
  const read = readJson(text, rawKeys, budget);
  yield;
  if (budget.left < 0) return tooLarge();
  return read ?? refuse('bodyNotJson');
}

export function readWhole(body: Buffer, rawKeys: ReadonlySet<string>): JsonObject | Refusal {
  return finishNow(readWholeInTurns(body, rawKeys));
}
