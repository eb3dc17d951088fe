import { describe, expect, it } from 'vitest';
import { WHOLE_REQUEST_VALUES_MAX } from '../../../bounds.ts';
import { isRefusal } from '../../../kernel/errors.ts';
import type { MemoryFacts } from '../../dialect.ts';
import { readResponsesRequest } from '../pass-through/request.ts';
import { completeBody, type FoundHistory, findWantedHistory } from './continue.ts';
import { findItemId, packResponse, unpackResponse } from './kept-response.ts';

function memoryOf(text: string): { body: Buffer; memory: MemoryFacts } {
  const body = Buffer.from(text);
  const facts = readResponsesRequest({ body, contentType: '', path: undefined });
  if (facts instanceof Promise || isRefusal(facts) || facts.memory === undefined) {
    throw new Error('not a request');
  }
  return { body, memory: facts.memory };
}

function wanted(text: string) {
  const { body, memory } = memoryOf(text);
  return findWantedHistory(body, memory);
}

async function completed(text: string, recalled: Partial<FoundHistory> = {}): Promise<string> {
  const { body, memory } = memoryOf(text);
  const whole = await completeBody(body, memory, { previous: undefined, items: new Map(), ...recalled });
  if (isRefusal(whole)) throw new Error(whole.message);
  return whole.toString();
}

async function keptOf(input: unknown, output: readonly unknown[]) {
  const { body, memory } = memoryOf(JSON.stringify({ model: 'm', input }));
  const answer = Buffer.from(JSON.stringify({ id: 'resp_1', object: 'response', output }));
  const kept = await packResponse({ body, memory, previousResponseId: undefined }, answer);
  return kept?.value === undefined ? undefined : unpackResponse(kept.value);
}

const SAID = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi' }],
};

describe('a request that is too large to be inspected', () => {
  const TOO_MUCH = `{"role":"user","content":[${'0,'.repeat(WHOLE_REQUEST_VALUES_MAX)}0]}`;

  it('is refused where a reference may be hidden in it', async () => {
    const text = `{"model":"m","input":[${TOO_MUCH},{"type":"item_reference","id":"msg_of_somebody"}]}`;
    const body = Buffer.from(text);
    const facts = await readResponsesRequest({ body, contentType: '', path: undefined });
    if (isRefusal(facts) || facts.memory === undefined) throw new Error('not a request');
    expect(facts.memory.refers).toBe(true);
    expect(await findWantedHistory(body, facts.memory)).toMatchObject({ error: { code: 40004 } });
  });

  it('is refused as a conversation, too', async () => {
    const previous = { input: [Buffer.from(TOO_MUCH)], output: [], response: Buffer.from('{}') };
    const { body, memory } = memoryOf('{"model":"m","previous_response_id":"resp_1","input":"Go on"}');
    expect(await completeBody(body, memory, { previous, items: new Map() })).toMatchObject({
      error: { code: 40004 },
    });
  });
});

describe('a request', () => {
  it.each([
    '{"role":"user","content":"x","Type":"item_reference","Id":"msg_1"}',
    '{"type":"message","role":"user","TYPE":"item_reference","ID":"msg_1"}',
    '{"type":"message","role":"user","content":"x","iD":"msg_1"}',
  ])('is refused when a case-insensitive reader takes %s as a reference', async (item) => {
    const text = `{"model":"m","input":[${item}]}`;
    expect(memoryOf(text).memory.refers).toBe(true);
    expect(await wanted(text)).toMatchObject({ error: { code: 40002 } });
  });

  it.each([
    ['{"model":"m","input":"Hello"}', false],
    ['{"model":"m","input":[{"role":"user","content":[{"ID":1}],"Text":"Id"}]}', false],
    ['{"model":"m","input":[{"role":"user","content":"item_reference"}]}', false],
    ['{"model":"m","input":[{"type":"reasoning","id":"rs_1","summary":[]}]}', false],
    ['{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"\\u0041"}]}', false],
    ['{"model":"m","previous_response_id":null,"input":"Hello"}', false],
    ['{"model":"m","previous_response_id":"resp_1"}', true],
    ['{"model":"m","input":[ {"role":"user","content":"x"} , {"id":"msg_1"} ]}', true],
    ['{"model":"m","input":[{"type" : "item_reference" , "id":"msg_1"}]}', true],
    ['{"model":"m","input":[{"type":"message","type":null,"id":"msg_1"}]}', true],
    ['{"model":"m","input":[[{"id":"a"}],{"role":"user","id":"b","content":[{"id":"c"}]}]}', false],
    ['{"model":"m","metadata":[{"id":"msg_1"}],"text":{"input":[{"id":"msg_1"}]}}', false],
    ['{"model":"m","input":[{"type":"item\\u005freference","id":"msg_1"}]}', true],
    ['{"model":"m","input":[{"type":"message","role":"user","\\u0074ype":"item_reference"}]}', true],
    ['{"model":"m","conversation":"conv_1"}', true],
    ['{"model":"m","conversation":null}', false],
  ])('%s refers to something stored: %s', (text, refers) => {
    expect(memoryOf(text).memory.refers).toBe(refers);
  });

  it.each([
    ['{"model":"m"}', true, undefined],
    ['{"model":"m","store":true}', true, undefined],
    ['{"model":"m","store":false}', false, undefined],
    ['{"model":"m","background":false,"prompt":null}', true, undefined],
    ['{"model":"m","background":true}', true, undefined],
    ['{"model":"m","conversation":{"id":"conv_1"}}', true, undefined],
    ['{"model":"m","prompt":{"id":"pmpt_1"}}', true, 'prompt'],
  ])('%s is to be stored: %s, and cannot be served for %s', (text, keep, unserved) => {
    expect(memoryOf(text).memory).toMatchObject({ keep, unserved });
  });

  it('names the ids that must be looked up, with their places', async () => {
    const text =
      '{"model":"m","previous_response_id":"resp_\\u0031","input":[{"role":"user"},{"id":"msg_1"}]}';
    expect(await wanted(text)).toEqual({ previousId: 'resp_1', references: [{ id: 'msg_1', index: 1 }] });
    expect(await wanted('{"model":"m","input":"x"}')).toEqual({ previousId: undefined, references: [] });
  });
});

describe('a completed request', () => {
  const answered = (): ReturnType<typeof keptOf> => keptOf('My name is Ada.', [SAID]);

  it('has the earlier input, the earlier output and the new input, and nothing else is touched', async () => {
    const text =
      '{ "previous_response_id":"resp_1", "seed":12345678901234567890, "input":"Go on", "model":"m" }';
    expect(await completed(text, { previous: await answered() })).toBe(
      '{ "previous_response_id":null, "seed":12345678901234567890, "input":[' +
        '{"type":"message","role":"user","content":"My name is Ada."},' +
        '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]},' +
        '{"type":"message","role":"user","content":"Go on"}], "model":"m" }',
    );
  });

  it('needs no new input', async () => {
    const body = JSON.parse(
      await completed('{"model":"m","previous_response_id":"resp_1"}', { previous: await answered() }),
    );
    expect(body.input).toHaveLength(2);
    const nothing = await completed('{"model":"m","previous_response_id":"resp_1","input":null}', {
      previous: await answered(),
    });
    expect(JSON.parse(nothing).input).toHaveLength(2);
  });

  it('has the referenced items at their places', async () => {
    const items = new Map([['msg_1', Buffer.from(JSON.stringify(SAID))]]);
    const text =
      '{"model":"m","input":[{"role":"user","content":"a"},{"id":"msg_1"},{"role":"user","content":"b"}]}';
    expect(JSON.parse(await completed(text, { items })).input).toEqual([
      { role: 'user', content: 'a' },
      { ...SAID, id: undefined },
      { role: 'user', content: 'b' },
    ]);
  });

  it('has reasoning only where it is encrypted and followed by text or a call', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', status: 'completed', content: [{ text: 'x' }] };
    const sealed = { ...reasoning, encrypted_content: 'g', summary: [{ type: 'summary_text', text: 's' }] };
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'n', arguments: '{"a":1.0}' };
    const turns = await keptOf([{ role: 'user', content: 'a' }], [reasoning, sealed, call, sealed]);
    const text = '{"model":"m","previous_response_id":"resp_1","input":"b"}';
    expect(JSON.parse(await completed(text, { previous: turns })).input).toEqual([
      { role: 'user', content: 'a' },
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'g', summary: sealed.summary },
      { ...call, id: undefined },
      { type: 'message', role: 'user', content: 'b' },
    ]);
  });
});

describe('an answer', () => {
  const { body, memory } = memoryOf('{"model":"m","input":[ {"role":"user","content":"é"} ]}');
  const request = { body, memory, previousResponseId: undefined };

  it('is stored to the byte, with its conversation and every item by its id', async () => {
    const text = '{ "id":"resp_1", "n":1.0, "output":[{"id":"msg_1","n":2.0}, {"type":"x"}] }';
    const kept = await packResponse(request, Buffer.from(text));
    expect(kept?.id).toBe('resp_1');
    expect([...(kept?.items ?? [])]).toEqual([['msg_1', Buffer.from('{"id":"msg_1","n":2.0}')]]);
    const found = unpackResponse(kept?.value ?? Buffer.alloc(0));
    expect(found?.response.toString()).toBe(text);
    expect(found?.input.map(String)).toEqual(['{"role":"user","content":"é"}']);
    expect(found?.output.map(findItemId)).toEqual(['msg_1', undefined]);
  });

  it('of very many items stores none of them, and one to a request of very many values is not stored', async () => {
    const items = `{"id":"msg_1"},${'{},'.repeat(300_000)}{"id":"msg_2"}`;
    const answer = Buffer.from(`{"id":"resp_1","output":[${items}]}`);
    expect((await packResponse(request, answer))?.items.size).toBe(0);
    const large = { ...request, memory: { ...memory, isTooMuch: true } };
    expect(await packResponse(large, Buffer.from('{"id":"resp_1","output":[]}'))).toMatchObject({
      id: 'resp_1',
      value: undefined,
    });
  });

  it('names the response that it continues, which the vendor did not know', async () => {
    const answer = Buffer.from('{"id":"resp_2","previous_response_id":null,"output":[]}');
    const kept = await packResponse({ ...request, previousResponseId: 'resp_1' }, answer);
    expect(unpackResponse(kept?.value ?? answer)?.response.toString()).toBe(
      '{"id":"resp_2","previous_response_id":"resp_1","output":[]}',
    );
  });

  it('without an id, or in pieces, is not stored; a stored one that was changed is not found', async () => {
    for (const text of ['{"output":[]}', '{"id":5}', '{"id":""}', '[]', '{"id":"resp_1"']) {
      expect(await packResponse(request, Buffer.from(text))).toBeUndefined();
    }
    for (const text of ['', '{}', '{"input":[],"response":5}', 'null']) {
      expect(unpackResponse(Buffer.from(text))).toBeUndefined();
    }
  });
});
