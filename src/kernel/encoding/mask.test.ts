import { expect, test } from 'vitest';
import { maskDocument, masked, SECRET_FIELDS } from './mask.ts';

test('a masked secret keeps its last four characters, a short one keeps nothing', () => {
  expect(masked({ name: 'main', secret: 'sk-0123456789abcdef' })).toEqual({ name: 'main', secret: '…cdef' });
  expect(masked({ password: 'fifteen letters' })).toEqual({ password: '…' });
});

test('a masked document number keeps its end, and never more than half of it', () => {
  expect(['X1234567', 'A12345', 'AB', 'A', ''].map(maskDocument)).toEqual(['…4567', '…345', '…B', '…', '…']);
});

test('every secret field is masked at any depth and with any value', () => {
  for (const field of SECRET_FIELDS) {
    const hidden = { list: [{ inner: { [field]: 'CANARY-0123456789-CANARY', other: 'seen' } }] };
    expect(JSON.stringify(masked(hidden))).not.toContain('CANARY-');
    expect(JSON.stringify(masked(hidden))).toContain('seen');
    expect(masked({ [field]: { inner: 'CANARY' } })).toEqual({ [field]: null });
  }
});
