import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorRow } from '../kernel/errors.ts';

/** `npm run errors` writes docs/errors.md from the error table; a test fails while the two differ. */
export const errorDocsPath = join(import.meta.dirname, '..', '..', 'docs', 'errors.md');

export function renderErrorDocs(rows: readonly ErrorRow[]): string {
  const sorted = [...rows].sort((one, other) => one.code - other.code);
  const table = sorted.map(
    ({ code, status, message, when, remedy }) =>
      `| ${code} | ${status} | \`${cell(message)}\` | ${cell(when)} | ${cell(remedy)} |`,
  );
  return [
    '# Errors of the gateway',
    '',
    'This page is written by `npm run errors` from `src/kernel/errors.ts`; change the table there.',
    '',
    'An error of the gateway itself has this body, and every answer carries `x-request-id`:',
    '',
    '```json',
    JSON.stringify(exampleBody(ERRORS.keyInvalid), null, 2),
    '```',
    '',
    'Where clients act on fields of a vendor (`type`, `param`), `error` has those of the vendor beside our `code`.',
    'An error without this `code` at its top comes from the vendor and passes through unchanged.',
    'Every 429 and 503 carries `Retry-After` in whole seconds. A 429 also carries `x-tollgate-limit` (dimension,',
    'limit, used, reset). `x-should-retry: false` is on every wait of more than 5 seconds and on every 50201: the',
    'vendors’ SDKs then raise the error instead of waiting or retrying.',
    'A call refused by authentication, billability, admission or a limit is not charged.',
    '',
    '| Code | HTTP | Message | When | What to do |',
    '|--:|--:|---|---|---|',
    ...table,
    '',
  ].join('\n');
}

/** Rule I-40. `error.message` repeats `message`, because the vendors' SDKs read it there. */
function exampleBody({ code, message }: ErrorRow): object {
  return { code, message, error: { type: 'gateway_error', code: String(code), message } };
}

/** A bar would end the table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

export function errorDocs(): string {
  return renderErrorDocs(Object.values(ERRORS));
}

export function writtenErrorDocs(): string {
  return readFileSync(errorDocsPath, 'utf8');
}

if (import.meta.main) writeFileSync(errorDocsPath, errorDocs());
