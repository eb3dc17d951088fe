import { describe, expect, it } from 'vitest';
import { ERRORS } from '../kernel/errors.ts';
import { errorDocs, renderErrorDocs, writtenErrorDocs } from './error-docs.ts';

describe('docs/errors.md', () => {
  it('has the content of the error table; if not, run "npm run errors"', () => {
    expect(writtenErrorDocs()).toBe(errorDocs());
  });

  it('has one row for each error, by code', () => {
    const codes = [...errorDocs().matchAll(/^\| (\d{5}) \|/gm)].map(([, code]) => Number(code));
    const expected = Object.values(ERRORS).map(({ code }) => code);
    expect(codes).toEqual(expected.toSorted((one, other) => one - other));
  });

  it('has the message as the client gets it, with escaped bars', () => {
    const row = { code: 40001, status: 400, message: 'a|b', when: 'When.', remedy: 'Do.' };
    expect(renderErrorDocs([row])).toContain('| 40001 | 400 | `a\\|b` | When. | Do. |');
  });

  it('is written in sentences, and messages have no full stop, like those of the vendors', () => {
    for (const { code, message, when, remedy } of Object.values(ERRORS)) {
      expect(message, String(code)).toMatch(/^[A-Za-z][^\n]*[^.\s]$/);
      expect(when, String(code)).toMatch(/^[A-Z`][^\n]*\.$/);
      expect(remedy, String(code)).toMatch(/^[A-Z`][^\n]*\.$/);
    }
  });
});
