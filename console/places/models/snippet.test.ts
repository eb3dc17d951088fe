import { expect, test } from 'vitest';
import type { Model } from './catalogue.ts';
import { snippetOf } from './snippet.ts';

const made = (id: string, billing: number, protocol: string) =>
  ({ id, first: { billing_modes: billing }, routes: [{ protocols: [protocol] }] }) as unknown as Model;
const bodyOf = (code: string) =>
  JSON.parse(
    code
      .replace(/^[\s\S]* -d '/, '')
      .replace(/'$/, '')
      .replaceAll("'\\''", "'"),
  );

test.each([
  ['it\'s "a" model', 1, 'responses', 'chat/completions'],
  ['gpt-image-1', 2, 'images', 'images/generations'],
  ['gemini-embedding-001', 1, 'gemini-embeddings', 'embeddings'],
  ['omni-moderation-latest', 1, 'moderations', 'moderations'],
  ['rerank-v3.5', 1, 'rerank', 'rerank'],
  ['gpt-3.5-turbo-instruct', 1, 'completions', 'completions'],
  ['tts-1', 1, 'speech', 'audio/speech'],
  ['sora-2', 4, 'videos', 'videos'],
])('the snippet of %s is a call of it', (id, billing, protocol, path) => {
  const { code } = snippetOf(made(id, billing, protocol), 'https://gate.example.com/');
  expect(code).toContain(`https://gate.example.com/v1/${path} `);
  expect(bodyOf(code)).toMatchObject({ model: id });
  expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('sound is sent as a file of a form', () => {
  const { code } = snippetOf(made("it's whisper", 1, 'transcriptions'), 'https://gate.example.com');
  expect(code).toContain('https://gate.example.com/v1/audio/transcriptions ');
  expect(code).toContain("-F 'model=it'\\''s whisper'");
  expect(code).not.toContain('Content-Type');
});
