import { expect, test } from 'vitest';
import { finalResponse } from './final-response.ts';

const event = (type: string, rest: string): string =>
  `event: ${type}\ndata: {"type":"${type}","sequence_number":9,${rest}}\n\n`;

test('the response at the end of a stream is found beside any other fields', async () => {
  const before = event('response.output_item.done', '"item":{"response":{"id":"no"}}');
  for (const type of ['response.completed', 'response.incomplete']) {
    const end = event(type, '"response":{"id":"resp_1","output":[{"text":"}\\n"}]}');
    const found = await finalResponse(Buffer.from(`: note\n\n${before}${end}data: [DONE]\n\n`));
    expect(found?.toString()).toBe('{"id":"resp_1","output":[{"text":"}\\n"}]}');
    expect(String(await finalResponse(Buffer.from(end.replaceAll('\n', '\r\n'))))).toBe(found?.toString());
  }
});

test('a stream that failed, or has not ended, has no final response', async () => {
  expect(
    await finalResponse(Buffer.from(event('response.failed', '"response":{"id":"resp_1"}'))),
  ).toBeUndefined();
  expect(
    await finalResponse(Buffer.from(event('response.created', '"response":{"id":"resp_1"}'))),
  ).toBeUndefined();
  expect(await finalResponse(Buffer.from(event('response.completed', '"response":null')))).toBeUndefined();
  expect(
    await finalResponse(Buffer.from('data: {"type":"response.completed","response":{\n\n')),
  ).toBeUndefined();
});
