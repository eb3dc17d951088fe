import { expect, test } from 'vitest';
import type { Model } from './catalogue.ts';
import { snippetOf } from './snippet.ts';

const made = (id: string, billing: number) => ({ id, first: { billing_modes: billing } }) as unknown as Model;
const bodyOf = (code: string) =>
  JSON.parse(
    code
      .replace(/^[\s\S]* -d '/, '')
      .replace(/'$/, '')
      .replaceAll("'\\''", "'"),
  );

test.each([
  ['it\'s "a" model', 1],
  ['gpt-image-1', 2],
])('the snippet of %s is a call of it', (id, billing) => {
  const { code } = snippetOf(made(id, billing), 'https://gate.example.com/');
  expect(code).toContain(
    `https://gate.example.com/v1/${billing === 1 ? 'chat/completions' : 'images/generations'}`,
  );
  expect(bodyOf(code)).toMatchObject({ model: id });
  expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});
