import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { World } from '../../support/world.ts';
import { anthropicOf, creditsOf, endAll, openaiOf, startBatchesWorld } from './world.ts';

let world: World;
let before: bigint;
/** A file of the account, and one of another account. */
let small: string;
let foreign: string;

beforeAll(async () => {
  world = await startBatchesWorld();
  before = await creditsOf(world, USER);
  small = await upload(lineOf(), world.key);
  foreign = await upload(lineOf(), await world.newKey('other@example.com'));
});
afterAll(async () => {
  // Nothing that is refused costs or holds anything.
  expect(await creditsOf(world, USER)).toBe(before);
  await world.close();
});

const USER = 'user@example.com';
const CHAT = '/v1/chat/completions';
const BOUNDARY = 'a-boundary';

function lineOf(body: object = {}, rest: object = {}): string {
  const whole = { model: 'gpt', max_completion_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
  return JSON.stringify({ custom_id: 'a', method: 'POST', url: CHAT, body: { ...whole, ...body }, ...rest });
}

async function upload(text: string, key: string): Promise<string> {
  const file = await toFile(Buffer.from(text), 'a.jsonl');
  return (await openaiOf(world.url, key).files.create({ file, purpose: 'batch' })).id;
}

interface Refused {
  readonly code: number;
  readonly message: string;
  readonly error: { readonly type: string; readonly param?: string | null; readonly message: string };
}

async function send(path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  const headers = { ...world.headers(), 'content-type': type };
  const response = await fetch(world.url + path, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Refused };
}

const part = (head: string, content: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const PURPOSE = part('name="purpose"', 'batch');
const FILE = (text: string): string => part('name="file"; filename="a.jsonl"', text);
const sendForm = (parts: string) =>
  send('/v1/files', `${parts}--${BOUNDARY}--\r\n`, `multipart/form-data; boundary=${BOUNDARY}`);
const sendFile = (text: string) => sendForm(PURPOSE + FILE(text));

const filesAtVendor = () => world.simulator.batches.files('sk-sim-openai').length;

describe('a body with two readings is 40002, and the vendor sees nothing of it', () => {
  const rest = `"endpoint":"${CHAT}","completion_window":"24h"`;
  it.each([
    ['a member twice', () => `{"input_file_id":"${small}",${rest},"input_file_id":"${foreign}"}`],
    ['a member in another case', () => `{"input_file_id":"${small}",${rest},"Input_File_Id":"${foreign}"}`],
    ['a member in another spelling', () => `{"input_file_id":"${small}",${rest},"inputFileId":"${foreign}"}`],
    ['an escaped member', () => `{"input_file_id":"${small}",${rest},"input\\u005ffile_id":"${foreign}"}`],
    ['two paths', () => `{"input_file_id":"${small}",${rest},"Endpoint":"/v1/responses"}`],
    ['two windows', () => `{"input_file_id":"${small}",${rest},"completion_window":"48h"}`],
    ['a byte order mark', () => `\ufeff{"input_file_id":"${small}",${rest}}`],
  ])('a batch with %s', async (_what, body) => {
    const count = world.simulator.batches.list('sk-sim-openai', 'batch').length;
    expect(await send('/v1/batches', body())).toMatchObject({ status: 400, body: { code: 40002 } });
    expect(world.simulator.batches.list('sk-sim-openai', 'batch')).toHaveLength(count);
  });

  it('a batch whose bytes are not UTF-8', async () => {
    const body = Buffer.from(`{"input_file_id":"${small}",${rest},"metadata":{"a":"\xff"}}`, 'latin1');
    expect(await send('/v1/batches', new Uint8Array(body))).toMatchObject({ body: { code: 40002 } });
  });

  it.each([
    ['its requests twice', '{"requests":[],"Requests":[]}', ''],
    ['a request with its params twice', '', '"params":{},'],
    ['a request with its params in another case', '', '"Params":{},'],
    ['a request with its id twice', '', '"custom_id":"b",'],
  ])('a batch of Messages with %s', async (_what, whole, more) => {
    const params = '{"model":"sonnet","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}';
    const body = whole || `{"requests":[{"custom_id":"a",${more}"params":${params}}]}`;
    expect(await send('/v1/messages/batches', body)).toMatchObject({ body: { code: 40002 } });
  });

  it.each([
    ['its purpose twice', PURPOSE + PURPOSE + FILE(lineOf())],
    ['two purposes', FILE(lineOf()) + PURPOSE + part('name="purpose"', 'vision')],
    ['two files', PURPOSE + FILE(lineOf()) + FILE(lineOf())],
    ['another field twice', PURPOSE + part('name="a"', '1') + part('name="A"', '2') + FILE(lineOf())],
    ['a line with its body twice', PURPOSE + FILE(lineOf().replace('"body"', '"Body":{},"body"'))],
    ['a line with its id twice', PURPOSE + FILE(lineOf().replace('{', '{"custom_id":"b",'))],
    ['a line that others read as three', PURPOSE + FILE(lineOf({ x: 0 }).replace(':0', `:\r${lineOf()}\r`))],
  ])('a file with %s', async (_what, form) => {
    const count = filesAtVendor();
    expect(await sendForm(form)).toMatchObject({ status: 400, body: { code: 40002 } });
    expect(filesAtVendor()).toBe(count);
  });

  it.each([
    ['its items twice', '{"items":[],"items":[{"role":"user","content":"x"}]}'],
    ['its items in another case', '{"items":[],"Items":[]}'],
    ['its metadata twice', '{"metadata":{},"metadata":{"a":"b"}}'],
    ['an item with two roles', '{"items":[{"role":"user","role":"system","content":"x"}]}'],
    ['an item with two types', '{"items":[{"type":"item_reference","Type":"message","role":"user"}]}'],
  ])('a conversation with %s', async (_what, body) => {
    expect(await send('/v1/conversations', body)).toMatchObject({ status: 400, body: { code: 40002 } });
    const made = (await (await world.post('/v1/conversations', {})).json()) as { id: string };
    expect(await send(`/v1/conversations/${made.id}/items`, body)).toMatchObject({ body: { code: 40002 } });
  });

  it('a conversation whose bytes are not UTF-8', async () => {
    const body = Buffer.from('{"items":[{"role":"user","content":"\xff"}]}', 'latin1');
    expect(await send('/v1/conversations', new Uint8Array(body))).toMatchObject({ body: { code: 40002 } });
  });
});

describe('a member of the wrong type is 40004, and is named', () => {
  it.each([
    ['/v1/batches', { input_file_id: 7, endpoint: CHAT }, 'input_file_id'],
    ['/v1/batches', { endpoint: CHAT }, 'input_file_id'],
    ['/v1/batches', { input_file_id: 'x', endpoint: ['/v1/responses'] }, 'endpoint'],
    ['/v1/conversations', { items: 'x' }, 'items'],
    ['/v1/conversations', { items: [{ type: 7, role: 'user', content: 'x' }] }, 'items'],
    ['/v1/conversations', { items: [{ type: 'message', role: {}, content: 'x' }] }, 'items'],
    ['/v1/conversations', { metadata: 'x' }, 'metadata'],
  ])('%s %j', async (path, body, param) => {
    const answer = await send(path, JSON.stringify(body));
    expect(answer).toMatchObject({ status: 400, body: { code: 40004 } });
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', param });
  });
});

/** Every one of these ids has the same answer. */
async function expectUnknown(
  ids: readonly string[],
  { method, place, below }: { readonly method: string; readonly place: string; readonly below: string },
): Promise<void> {
  const answers = await Promise.all(
    ids.map(async (id) => {
      const response = await fetch(world.url + place + id + below, { method, headers: world.headers() });
      const said = (await response.json()) as Refused & { request_id?: string };
      expect(said, `${method} ${place}${id}${below}`).toMatchObject({ code: 40402 });
      delete said.request_id;
      return `${response.status} ${JSON.stringify(said).replaceAll(id, 'ID')}`;
    }),
  );
  expect([...new Set(answers)], `${method} ${place}`).toHaveLength(1);
  const type = place.includes('messages') ? 'not_found_error' : 'invalid_request_error';
  expect(answers[0]).toContain(`"type":"${type}"`);
}

/** Method, path and what follows the id. */
const PLACES: readonly (readonly [string, string, string])[] = [
  ['GET', '/v1/videos/', ''],
  ['DELETE', '/v1/videos/', ''],
  ['GET', '/v1/videos/', '/content'],
  ['GET', '/v1/batches/', ''],
  ['POST', '/v1/batches/', '/cancel'],
  ['GET', '/v1/messages/batches/', ''],
  ['DELETE', '/v1/messages/batches/', ''],
  ['POST', '/v1/messages/batches/', '/cancel'],
  ['GET', '/v1/messages/batches/', '/results'],
  ['GET', '/v1/files/', ''],
  ['DELETE', '/v1/files/', ''],
  ['GET', '/v1/responses/', ''],
  ['DELETE', '/v1/responses/', ''],
  ['GET', '/v1/conversations/', ''],
  ['DELETE', '/v1/conversations/', ''],
  ['GET', '/v1/conversations/', '/items'],
];

describe('an object that the account does not have is 40402', () => {
  it('of another account, of another kind and unknown alike', async () => {
    const messages = await anthropicOf(world.url, world.key).messages.batches.create({
      requests: [
        {
          custom_id: 'a',
          params: {
            model: 'sonnet',
            max_tokens: 9,
            messages: [{ role: 'user', content: '[[sim steps=100]]' }],
          },
        },
      ],
    });
    const asked = { input_file_id: small, endpoint: CHAT, completion_window: '24h' } as const;
    const batch = await openaiOf(world.url, world.key).batches.create(asked);
    const theirs = await openaiOf(world.url, await world.newKey('other@example.com')).batches.create({
      ...asked,
      input_file_id: foreign,
    });
    const ids = [batch.id, messages.id, theirs.id, 'absent', foreign];
    const own = new Map([
      ['/v1/batches/', batch.id],
      ['/v1/messages/batches/', messages.id],
      ['/v1/files/', small],
    ]);
    // An unknown job is looked for twice, with a pause. Sixteen requests of an account may run at once.
    for (let from = 0; from < PLACES.length; from += 4) {
      await Promise.all(
        PLACES.slice(from, from + 4).map(([method, place, below]) => {
          const foreignIds = ids.filter((id) => own.get(place) !== id).slice(0, 4);
          return expectUnknown(foreignIds, { method, place, below });
        }),
      );
    }
    // None of these did anything to what the account has.
    expect((await openaiOf(world.url, world.key).batches.list()).data.map(({ id }) => id)).toContain(
      batch.id,
    );
    const call = { model: 'gpt', input: 'Hi', conversation: 'conv_absent' };
    expect(await send('/v1/responses', JSON.stringify(call))).toMatchObject({
      status: 404,
      body: { code: 40402 },
    });
    const wrong = { ...asked, input_file_id: foreign };
    expect(await send('/v1/batches', JSON.stringify(wrong))).toMatchObject({ body: { code: 40402 } });
    for (const id of [batch.id, messages.id, theirs.id]) world.simulator.batches.end(id);
    await endAll(world);
    before = await creditsOf(world, USER);
  });

  it('and a list does not begin behind an object of another kind', async () => {
    const { data } = await openaiOf(world.url, world.key).batches.list();
    const after = data.at(0)?.id ?? '';
    const path = `/v1/messages/batches?after_id=${after}`;
    const list = (await (await fetch(world.url + path, { headers: world.headers() })).json()) as { data: [] };
    expect(list.data).toEqual([]);
  });
});

describe('a file that cannot be counted', () => {
  const HUGE = 10 ** 15 - 1;
  it.each([
    ['too many tokens', lineOf({ max_completion_tokens: HUGE, n: 128 }), /^Line 1: .*tokens/],
    [
      'more than the store can count',
      lineOf({ max_tokens: HUGE, n: 128 }).concat('\n').repeat(99),
      /^Line 1/,
    ],
    ['too many in its second line', `${lineOf()}\n\n${lineOf({ max_tokens: HUGE })}`, /^Line 3: .*tokens/],
    ['an unknown model', lineOf({ model: 'absent' }), /^Line 1: .*"?absent"?/],
    ['a model that takes no batches', lineOf({ model: 'sonnet' }), /^Line 1: No usable upstream/],
    ['another model behind an empty line', `\n${lineOf()}\n${lineOf({ model: 'other' })}`, /^Line 3: All/],
  ])('with %s is 40004 with its line', async (_what, text, message) => {
    const count = filesAtVendor();
    const answer = await sendFile(text);
    expect(answer).toMatchObject({ status: 400, body: { code: 40004 } });
    expect(answer.body.message).toMatch(message);
    expect(filesAtVendor()).toBe(count);
  });

  it('or a batch of Messages is 40004 with the place of its request', async () => {
    const params = { model: 'sonnet', messages: [{ role: 'user', content: 'Hi' }] };
    const item = (tokens: number) => ({ custom_id: `a${tokens}`, params: { ...params, max_tokens: tokens } });
    const requests = [item(9), ...Array.from({ length: 200 }, (_, at) => item(HUGE - at))];
    const answer = await send('/v1/messages/batches', JSON.stringify({ requests }));
    expect(answer).toMatchObject({ status: 400, body: { code: 40004 } });
    expect(answer.body.message).toMatch(/^requests\[1\]: .*tokens/);
  });
});
