import { expect, test } from 'vitest';
import { SCAN_TURN_BYTES } from '../../bounds.ts';
import { getCapabilities } from '../capability/table.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { limitOutput } from './limit-output.ts';

async function limited(protocol: TextProtocol, body: object | string, model = 'gpt-4o') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { body: Buffer.from(text), contentType: 'application/json', path: undefined };
  const limit = { tokens: 300, capabilities: getCapabilities(protocol, model) };
  const result = await limitOutput(protocol, request, limit);
  return result?.body.toString();
}

test.each([
  ['chat', '{"model":"m","max_tokens":9000}', '{"model":"m","max_tokens":300}'],
  ['chat', '{"max_completion_tokens" : null,"model":"m"}', '{"max_completion_tokens" : 300,"model":"m"}'],
  // Each vendor reads the one it knows, so that both are set.
  ['chat', '{"max_tokens":9,"max_completion_tokens":8}', '{"max_tokens":300,"max_completion_tokens":300}'],
  ['chat', ' {"model":"m"}', ' {"max_tokens":300,"model":"m"}'],
  ['responses', '{"model":"m"}', '{"max_output_tokens":300,"model":"m"}'],
  ['responses', '{"max_output_tokens":10000}', '{"max_output_tokens":300}'],
  ['messages', '{"max_tokens":9000,"model":"m"}', '{"max_tokens":300,"model":"m"}'],
  ['gemini', '{}', '{"generationConfig":{"maxOutputTokens":300}}'],
  [
    'gemini',
    '{"contents":[],"generationConfig":{}}',
    '{"contents":[],"generationConfig":{"maxOutputTokens":300}}',
  ],
  ['gemini', '{"generationConfig":null}', '{"generationConfig":{"maxOutputTokens":300}}'],
  ['gemini', '{"generation_config":{"topP":1}}', '{"generation_config":{"maxOutputTokens":300,"topP":1}}'],
] as const)('%s: %s becomes %s', async (protocol, body, expected) => {
  expect(await limited(protocol, body)).toBe(expected);
});

test('reasoning models of OpenAI get the limit under its newer name', async () => {
  expect(await limited('chat', '{"model":"m"}', 'gpt-5')).toBe('{"max_completion_tokens":300,"model":"m"}');
});

test.each([
  ['messages', { max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 300 } }],
  ['gemini', { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } }],
  ['gemini', { generation_config: { thinking_config: { thinking_budget: 1024 } } }],
  ['chat', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
] as const)('%s: a thinking budget that fills the limit does not fit', async (protocol, body) => {
  expect(await limited(protocol, body)).toBeUndefined();
});

test('a smaller budget fits, and an invalid limit stays unchanged', async () => {
  const body = { max_tokens: 9, thinking: { budget_tokens: 299 }, metadata: { max_tokens: 9 } };
  expect(JSON.parse((await limited('messages', body)) ?? '')).toEqual({ ...body, max_tokens: 300 });
});

test('a large body is limited in slices', async () => {
  const body = Buffer.from(`{"messages":["${'x'.repeat(SCAN_TURN_BYTES)}"],"max_tokens":9000}`);
  const limit = { tokens: 5, capabilities: getCapabilities('chat', 'gpt-4o') };
  const result = limitOutput('chat', { body, contentType: '', path: undefined }, limit);
  expect(result).toBeInstanceOf(Promise);
  expect((await result)?.body.toString().slice(-15)).toBe('"max_tokens":5}');
});
