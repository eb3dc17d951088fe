import { expect, test } from 'vitest';
import { addressedTokens, fetchedTokens } from './fetched.ts';

const CLAUDE = { protocol: 'messages', model: 'claude-sonnet-5' } as const;

test('a fetched document counts by its pages, a text by its bytes', () => {
  const pdf = Buffer.from(
    `%PDF-1.4\n${'1 0 obj <</Type /Page /Parent 2 0 R /Contents 9 0 R>> endobj\n'.repeat(30)}`,
  );
  expect(fetchedTokens({ mime: 'application/pdf', bytes: pdf }, CLAUDE)).toBe(30 * 3_500);
  expect(fetchedTokens({ mime: 'text/plain', bytes: Buffer.alloc(3_000, 'x') }, CLAUDE)).toBe(1_000);
});

test('an address counts as at admission, or less', () => {
  expect(addressedTokens('https://x.example/a', 'picture', CLAUDE)).toBe(4_800);
  expect(addressedTokens('https://x.example/a.pdf', 'document', CLAUDE)).toBe(70_000);
  expect(addressedTokens('https://x.example/a', 'document', CLAUDE)).toBe(20_000);
});
