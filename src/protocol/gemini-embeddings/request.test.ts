import { expect, it } from 'vitest';
import { geminiEmbeddings } from './dialect.ts';

it.each([
  ['"content" must be an object', { content: 'a text' }],
  ['"content" must be an object', { content: [{ parts: [] }] }],
  ['"requests" must be a list', { requests: { content: {} } }],
])('%s: other kinds would not be counted (%#)', (complaint, body) => {
  const path = { model: 'm', stream: false, framing: 'sse' } as const;
  const request = { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json', path };
  const refused = { error: { code: 40004 }, message: expect.stringContaining(complaint) };
  expect(geminiEmbeddings.readRequest(request)).toMatchObject(refused);
});
