import { expect, test } from 'vitest';
import { SCENARIOS } from './matrix.ts';
import { meaningsText, sectionText, settlePlace } from './table.ts';

test('docs/protocols.md has what every row compares; if not, run "npm run protocols"', () => {
  const text = meaningsText(SCENARIOS);
  expect(settlePlace('scenarios', text)).toBe(text);
});

test('a table has what passed, what failed, and why a cell is impossible', () => {
  const [first, second] = SCENARIOS;
  if (first === undefined || second === undefined) throw new Error('there are no scenarios');
  const found = new Map([
    [`${first.name} chat`, 'passed'],
    [`${first.name} responses`, 'It has no word for it.'],
    [`${second.name} gemini`, 'It has no word for it.'],
  ]);
  const text = sectionText({ client: 'somebody', scenarios: [first, second], own: [second], found });
  expect(text).toContain(`| ${first.name} | ✓ | – 1 | ✗ | ✗ |`);
  expect(text).toContain(`| ${second.name} | ✗ | ✗ | ✗ | – 1 |`);
  expect(text).toContain('\n1. It has no word for it.\n');
  expect(text).toContain(`- *${second.name}*: ${second.meaning}`);
});
