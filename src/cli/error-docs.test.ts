import { describe, expect, it } from 'vitest';
import { ERRORS } from '../kernel/errors.ts';
import { errorDocs, renderErrorDocs, writtenErrorDocs } from './error-docs.ts';

describe('docs/errors.md', () => {
  it('is what the error table says; if not, run "npm run errors"', () => {
    expect(writtenErrorDocs()).toBe(errorDocs());
  });

  it('has one row for each error, by code', () => {
    const codes = [...errorDocs().matchAll(/^\| (\d{5}) \|/gm)].map(([, code]) => Number(code));
    const expected = Object.values(ERRORS).map(({ code }) => code);
    expect(codes).toEqual(expected.toSorted((one, other) => one - other));
  });

  it('shows the message as the client gets it, with bars that do not end the cell', () => {
    const row = { code: 40001, status: 400, message: 'a|b', when: 'When.', remedy: 'Do.' };
    expect(renderErrorDocs([row])).toContain('| 40001 | 400 | `a\\|b` | When. | Do. |');
  });

  it('is written in sentences, and messages are without a full stop, as the vendors write theirs', () => {
    for (const { code, message, when, remedy } of Object.values(ERRORS)) {
      expect(message, String(code)).toMatch(/^[A-Za-z][^\n]*[^.\s]$/);
      expect(when, String(code)).toMatch(/^[A-Z`][^\n]*\.$/);
      expect(remedy, String(code)).toMatch(/^[A-Z`][^\n]*\.$/);
    }
  });
});
