import { describe, expect, it } from 'vitest';
import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { Dialect, RawRequest, RequestFacts } from '../dialect.ts';
import { countTokens } from '../meter/tokens.ts';
import { embeddings } from './embeddings.ts';
import { moderations } from './moderations.ts';
import { rerank } from './rerank.ts';

const ALL: readonly Dialect[] = [embeddings, moderations, rerank];

const ASKED = { input: 'x', query: 'x', documents: ['y'] };

function raw(body: object): RawRequest {
  return { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json', path: undefined };
}

async function read(dialect: Dialect, body: object): Promise<RequestFacts> {
  const facts = await dialect.readRequest(raw(body));
  if (isRefusal(facts)) throw new Error(facts.message);
  return facts;
}

const usage = (dialect: Dialect, answer: object) =>
  dialect.readResponse(Buffer.from(JSON.stringify(answer)), 'platform').usage;

describe.each(ALL.map((dialect) => [dialect.protocol, dialect] as const))('%s', (_name, dialect) => {
  it('has a price that is known at entry, and no stream', async () => {
    const facts = await read(dialect, { model: 'm', ...ASKED, stream: true });
    expect(facts).toMatchObject({ model: 'm', stream: false, isFixed: true, answers: 1, images: 0 });
    const relay = dialect.relayStream('sse', facts, 'm');
    relay.push(Buffer.from('data: {"a":1}\n\n'));
    expect(relay.failed).toBe(true);
  });

  it('needs a model, and has it replaced', async () => {
    expect(await dialect.readRequest(raw(ASKED))).toMatchObject({ error: { code: 40003 } });
    const facts = await read(dialect, { model: 'm', ...ASKED });
    const sent = Buffer.concat(dialect.spliceRequest(raw({ model: 'm', ...ASKED }), facts, 'vendor'));
    expect(JSON.parse(sent.toString())).toEqual({ model: 'vendor', ...ASKED });
  });

  it('takes no answer of another kind', () => {
    expect(dialect.readResponse(Buffer.from('{"choices":[]}'), 'm').valid).toBe(false);
    expect(dialect.readResponse(Buffer.from('<html>'), 'm').valid).toBe(false);
    expect(dialect.readResponse(Buffer.from('{"error":{"message":"no"}}'), 'm').isError).toBe(true);
  });
});

describe('a moderation without a model', () => {
  const given = (body: string): RawRequest => ({
    ...raw({}),
    body: Buffer.from(body),
    defaultModel: 'guard',
  });

  it.each([
    ['{"input":"x"}', '{"model":"vendor","input":"x"}'],
    [' \n{ "input" : ["{"] }', ' \n{"model":"vendor", "input" : ["{"] }'],
  ])('%j uses the default, whose name at the vendor is inserted', async (body, sent) => {
    const facts = await moderations.readRequest(given(body));
    if (isRefusal(facts)) throw new Error(facts.message);
    expect(facts.model).toBe('guard');
    expect(Buffer.concat(moderations.spliceRequest(given(body), facts, 'vendor')).toString()).toBe(sent);
    const same = Buffer.concat(moderations.spliceRequest(given(body), facts, 'guard'));
    expect(JSON.parse(same.toString())).toMatchObject({ model: 'guard' });
  });

  it.each([
    ['{"model":null,"input":"x"}', 40003],
    ['{"model":"","input":"x"}', 40003],
    ['{"Model":"m","input":"x"}', 40002],
    ['{}', 40004],
    ['[]', 40002],
  ])('%j is refused', async (body, code) => {
    expect(await moderations.readRequest(given(body))).toMatchObject({ error: { code } });
  });

  it('keeps the model that is named, in any spelling of JSON', async () => {
    for (const body of ['{"model":"m","input":"x"}', '{"mod\\u0065l":"m","input":"x"}']) {
      expect(await moderations.readRequest(given(body))).toMatchObject({ model: 'm' });
    }
  });

  it('is the only request that may lack its model', async () => {
    for (const dialect of [embeddings, rerank]) {
      const body = JSON.stringify(ASKED);
      expect(await dialect.readRequest(given(body))).toMatchObject({ error: { code: 40003 } });
    }
  });
});

describe('the input', () => {
  it('is the texts, in lists and in objects', async () => {
    const texts = ['a first text', 'and a second'];
    const tokens = texts.reduce((sum, each) => sum + countTokens(each), 0);
    const counted = async (dialect: Dialect, body: object) =>
      dialect.countInput(raw(body), await read(dialect, body));
    expect(await counted(moderations, { model: 'm', input: texts })).toBe(tokens);
    const parts = texts.map((text) => ({ type: 'text', text }));
    expect(await counted(moderations, { model: 'm', input: parts })).toBe(tokens);
    expect(await counted(rerank, { model: 'm', query: texts[0], documents: [texts[1]] })).toBe(tokens);
    expect(await counted(embeddings, { model: 'm', input: [[1, 2, 3]] })).toBeGreaterThanOrEqual(3);
  });

  it('of a moderation may have pictures', async () => {
    const input = [{ type: 'image_url', image_url: { url: 'https://pictures.invalid/a.png' } }];
    const facts = await read(moderations, { model: 'm', input });
    expect(facts.mediaTokens).toBeGreaterThan(0);
    expect(moderations.countInput(raw({ model: 'm', input }), facts)).toBe(facts.mediaTokens);
  });
});

describe('a member that is charged and cannot be counted is refused', () => {
  it.each([
    [embeddings, '"input" must be a text or a list', { input: { text: 'x'.repeat(1_000) } }],
    [embeddings, '"input" must be a text or a list', { input: true }],
    [embeddings, '"input" is missing', { texts: ['x'.repeat(1_000)] }],
    [moderations, '"input" must be a text or a list', { input: 7 }],
    [moderations, '"input" is missing', { input: null }],
    [rerank, '"query" must be a text or an object', { query: ['q'], documents: ['d'] }],
    [rerank, '"documents" must be a list', { query: 'q', documents: 'x'.repeat(1_000) }],
    [rerank, '"documents" must be a list', { query: 'q', documents: { 0: 'd' } }],
    [rerank, '"documents" is missing', { query: 'q', texts: ['d'] }],
  ] as const)('%o %s (%#)', async (dialect, complaint, body) => {
    const refused = await dialect.readRequest(raw({ model: 'm', ...body }));
    expect(refused).toMatchObject({ error: { code: 40004 }, message: expect.stringContaining(complaint) });
  });

  it('and what is hidden under other keys is counted', async () => {
    const passage = 'a boat lands at the pier '.repeat(400);
    const least = passage.length / 8;
    for (const [dialect, body] of [
      [embeddings, { input: [{ text: 'x', passage }] }],
      [moderations, { input: 'x', more: passage }],
      [rerank, { query: 'q', documents: [{ text: 'x', title: passage }] }],
    ] as const) {
      const facts = await read(dialect, { model: 'm', ...body });
      expect(dialect.countInput(raw({ model: 'm', ...body }), facts)).toBeGreaterThanOrEqual(least);
      expect(facts.inputTokensEstimate).toBeGreaterThanOrEqual(passage.length / 4);
    }
  });

  it('and files among the texts are counted as files', async () => {
    const image = 'https://pictures.invalid/a.png';
    const seen = await read(embeddings, { model: 'm', input: [{ image }, { text: 'x' }] });
    expect(seen.mediaTokens).toBeGreaterThan(1_000);
    const ranked = await read(rerank, {
      model: 'm',
      query: 'q',
      documents: [{ image }, { image_url: image }],
    });
    expect(ranked.mediaTokens).toBe(2 * (seen.mediaTokens ?? 0));
  });
});

describe('a reranking', () => {
  const ask = (count: number, text = 'a document', query = 'q') => ({
    ...{ model: 'm', query, documents: Array.from({ length: count }, () => text) },
  });

  it('may cost the query again for each document, and a unit for each hundred of its pieces', async () => {
    const one = await read(rerank, ask(1));
    const many = await read(rerank, ask(1_000));
    expect(one.outputTokensMax).toBe(1);
    expect([one.unitsLikely, many.unitsLikely]).toEqual([1, 10]);
    expect(many.outputTokensMax).toBeGreaterThanOrEqual(10);
    expect(many.outputTokensMax).toBeLessThan(30);
    const long = await read(rerank, ask(100, 'word '.repeat(5_000)));
    expect(long.outputTokensMax).toBeGreaterThanOrEqual((100 * 5_000) / 500 / 100);
    const query = await read(rerank, ask(1_000, 'a document', 'a long query '.repeat(100)));
    expect(query.inputTokensEstimate - many.inputTokensEstimate).toBeGreaterThan(1_000 * 300);
  });

  it('of many megabytes has an upper bound all the same', async () => {
    const text = 'x'.repeat(1_000);
    const facts = await read(rerank, ask(Math.ceil((2 * READ_AGAIN_BYTES_MAX) / text.length), text));
    expect(facts.outputTokensMax).toBeGreaterThanOrEqual(20);
  });

  it('without documents in the list is the vendor’s to refuse', async () => {
    expect((await read(rerank, { model: 'm', query: 'q', documents: [] })).inputTokensEstimate).toBeLessThan(
      100,
    );
  });

  it('is charged by tokens or by search units, as the vendor reports', () => {
    const results = [{ index: 0, relevance_score: 0.5 }];
    const charged = (rest: object) => usage(rerank, { results, ...rest });
    expect(charged({ usage: { total_tokens: 9 } })).toEqual({ ...NO_USAGE, inputFresh: 9 });
    expect(charged({ usage: { total_tokens: 9, prompt_tokens: 8 } })).toEqual({ ...NO_USAGE, inputFresh: 8 });
    expect(charged({ meta: { billed_units: { search_units: 3 } } })).toEqual({ ...NO_USAGE, outputText: 3 });
    const both = { billed_units: { input_tokens: 7, output_tokens: 0, search_units: 0 } };
    expect(charged({ meta: both })).toEqual({ ...NO_USAGE, inputFresh: 7 });
    expect(charged({ meta: { api_version: {} } })).toBeUndefined();
    expect(charged({ meta: { billed_units: { search_units: -1 } } })).toBeUndefined();
  });
});
