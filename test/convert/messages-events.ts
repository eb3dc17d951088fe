import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import type { Session, Target } from '../../src/protocol/hub/codec.ts';
import type { JsonObject } from '../../src/protocol/hub/content/json.ts';
import type { HubEvent, PartHead } from '../../src/protocol/hub/event.ts';
import type { Signature } from '../../src/protocol/hub/signature.ts';
import { messagesCodec } from '../../src/protocol/messages/codec.ts';
import { NO_HUB_USAGE } from '../../src/protocol/messages/usage.ts';
import { openDecoder } from '../../src/protocol/suite/reported.ts';
import { someRequest, someTarget } from '../support/hub.ts';

export const session = (target: Partial<Target> = {}): Session => ({
  request: someRequest({ client: 'messages', stream: true }),
  target: someTarget(target),
  modelId: 'platform/model',
  callId: 'c1',
  createdAtS: 1,
});
export const own = session();
export const foreign = session({ protocol: 'gemini', issuer: 'g-1' });

export function decode(...events: object[]): HubEvent[] {
  const emitted: HubEvent[] = [];
  const decoder = openDecoder(messagesCodec, own, (event) => emitted.push(event));
  for (const event of events) decoder.push(event as JsonObject);
  decoder.finish();
  decoder.finish();
  return emitted;
}

export function encode(events: readonly HubEvent[], on: Session = own): string {
  const encoder = messagesCodec.createEncoder(on, 'sse');
  for (const event of events) encoder.push(event);
  return encoder.take();
}

/** The data of all events, and proof that each event is named as its data is. */
export function dataOf(text: string): Record<string, unknown>[] {
  if (text === '') return [];
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [head, data, ...more] = block.split('\n');
      expect(more).toEqual([]);
      const parsed = JSON.parse((data as string).slice('data: '.length));
      expect(head).toBe(`event: ${parsed.type}`);
      return parsed;
    });
}

/** The message that the official SDK makes of a stream. */
export async function accumulate(text: string): Promise<Anthropic.Message> {
  const client = new Anthropic({
    apiKey: 'x',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const stream = client.messages.stream({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'x' }],
  });
  return await stream.finalMessage();
}

export const usage = { ...NO_HUB_USAGE, inputFresh: 7, cacheRead: 2, outputText: 3, outputReasoning: 1 };
export const start: HubEvent = { kind: 'start', id: 'v', usage: undefined };
export const end: HubEvent = { kind: 'end' };
export const part = (head: PartHead): HubEvent => ({ kind: 'part', choice: 0, head });
export const delta = (text: string): HubEvent => ({ kind: 'delta', choice: 0, text });
export const signed = (signature: Signature): HubEvent => ({ kind: 'signature', choice: 0, signature });
export const partEnd: HubEvent = { kind: 'part-end', choice: 0 };
export const finish = (reason: 'stop' | 'tool' | 'refusal'): HubEvent => ({
  kind: 'finish',
  choice: 0,
  finish: { reason },
});
export const call = (id: string): PartHead => ({ kind: 'tool-call', id, name: 'f', custom: false });

export const messageStart = {
  type: 'message_start',
  message: { id: 'msg_v', usage: { input_tokens: 9, output_tokens: 1 } },
};
export const blockStart = (index: number, content_block: object): object => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const blockDelta = (index: number, change: object): object => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
export const blockStop = (index: number): object => ({ type: 'content_block_stop', index });
export const said = (index: number, text: string): object => blockDelta(index, { type: 'text_delta', text });
export const started = (tokens: number, output: number): HubEvent => ({
  kind: 'start',
  id: 'msg_v',
  usage: { ...NO_HUB_USAGE, inputFresh: tokens, outputText: output },
});
