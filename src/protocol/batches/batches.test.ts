import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import { addUsage, NO_USAGE } from '../../kernel/usage.ts';
import type { RequestFacts } from '../dialect.ts';
import { NotAForm } from '../images/multipart.ts';
import { batchProgress, readBatch } from './answer.ts';
import { getBatchDialect } from './dialect.ts';
import { readFileBatch } from './file-batch.ts';
import { type FormEvent, FormStream } from './form-stream.ts';
import { readInputLine } from './input-line.ts';
import { readLine } from './item.ts';
import { LineSplitter } from './lines.ts';
import { readResult } from './result.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString();

const messages = getBatchDialect('messages');
const read = (value: unknown) =>
  messages.readRequest({ body: bytes(value), contentType: '', path: undefined }) as Promise<
    RequestFacts | Refusal
  >;
const request = (params: object) => ({
  custom_id: 'a',
  params: { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], ...params },
});

describe('a batch of Messages', () => {
  it('adds up what its requests may use, and names the model of the vendor in all of them', async () => {
    const body = bytes({ requests: [request({}), request({ max_tokens: 5, own: { model: 'm' } })] });
    const raw = { body, contentType: '', path: undefined };
    const facts = (await messages.readRequest(raw)) as RequestFacts;
    expect(facts).toMatchObject({ model: 'm', outputTokensMax: 15, isFixed: true, job: 'message-batch' });
    expect(facts.inputTokensEstimate).toBeGreaterThan(0);
    expect(messages.countInput(raw, facts)).toBe(0);
    const sent = JSON.parse(text(messages.spliceRequest(raw, facts, 'vendor-m')));
    expect(sent.requests.map((each: { params: object }) => each.params)).toMatchObject([
      { model: 'vendor-m' },
      { model: 'vendor-m', own: { model: 'm' } },
    ]);
    expect(messages.spliceRequest(raw, facts, 'm')).toEqual([body]);
  });

  it('is refused with the place of the request that is wrong', async () => {
    const wrong = async (requests: unknown) => {
      const facts = await read({ requests });
      return isRefusal(facts) ? facts.message : 'read';
    };
    expect(await wrong([request({})])).toBe('read');
    expect(await wrong([request({}), request({ model: 'n' })])).toMatch(/^requests\[1\]: .*the same model/);
    expect(await wrong([request({ stream: true })])).toMatch(/^requests\[0\]: .*not streamed/);
    expect(await wrong([request({ max_tokens: 0 })])).toMatch(/"max_tokens"/);
    expect(await wrong([{ custom_id: 'a' }])).toMatch(/"params"/);
    for (const none of [[], null, undefined]) expect(await wrong(none)).toMatch(/at least one/);
    for (const other of [{}, 'x']) expect(await wrong(other)).toBe('"requests" must be a list');
  });
});

describe('a line of a file', () => {
  const line = (body: object, rest: object = {}) =>
    readLine(bytes({ custom_id: 'a', method: 'POST', url: '/v1/responses', body, ...rest }));

  it('is read by the protocol of its path', async () => {
    const item = await line({ model: 'm', input: 'Hi', max_output_tokens: 7 });
    expect(item).toMatchObject({ protocol: 'responses', facts: { model: 'm', outputTokensMax: 7 } });
  });

  it('continues nothing that is stored, and does not run in the background', async () => {
    const stored = { previous_response_id: 'resp_1' };
    for (const body of [stored, { background: true }, { conversation: 'conv_1' }]) {
      expect(await line({ model: 'm', input: 'Hi', ...body })).toMatchObject({
        message: expect.stringContaining('stored'),
      });
    }
  });
});

describe('a new batch of a file', () => {
  const readNew = (body: string | Buffer) => readFileBatch(Buffer.from(body));

  it('names its file and its path, in texts', async () => {
    const body = '{"input_file_id":"file\\u002d1","endpoint":"/v1/responses","metadata":{"endpoint":"x"}}';
    expect(await readNew(body)).toEqual({ fileId: 'file-1', endpoint: '/v1/responses' });
    const none = { fileId: undefined, endpoint: undefined };
    for (const other of ['{}', '{"input_file_id":null}']) expect(await readNew(other)).toEqual(none);
    expect(await readNew('{"input_file_id":7}')).toMatchObject({ message: '"input_file_id" must be a text' });
    expect(await readNew('{"endpoint":["x"]}')).toMatchObject({ message: '"endpoint" must be a text' });
  });

  it('has one reading', async () => {
    const twice = ['"endpoint":"a","endpoint":"b"', '"endpoint":"a","END_point":"b"', '"inputFileId":"a"'];
    const bodies = [
      ...twice.map((members) => `{${members}}`),
      '[]',
      '',
      '\ufeff{}',
      Buffer.from([0x22, 0xff]),
    ];
    for (const body of bodies) expect(await readNew(body)).toMatchObject({ error: { code: 40002 } });
  });

  it('and a line has no second end', async () => {
    const line = (end: string) => readLine(Buffer.from(`{"custom_id":"a",${end}"method":"POST"}${end}`));
    expect(await line('\r')).toMatchObject({ message: expect.stringContaining('carriage return') });
    expect(await line(' ')).toMatchObject({ message: expect.stringContaining('"url"') });
  });
});

describe('an answer about a batch', () => {
  it('tells how far it is, and where its results are', () => {
    const body = bytes({
      ...{ id: 'batch_1', status: 'completed', endpoint: '/v1/embeddings', model: 'vendor-m' },
      ...{ output_file_id: 'file-1', error_file_id: null, request_counts: { completed: 3 } },
    });
    const batch = readBatch(body, { model: 'm' });
    expect(batch).toMatchObject({ id: 'batch_1', outputFileId: 'file-1', errorFileId: '', completed: 3 });
    expect(JSON.parse(text(batch.pieces)).model).toBe('m');
    expect(batchProgress('batch', batch.status)).toBe('ended');
    expect(batchProgress('message-batch', 'canceling')).toBe('running');
    expect(batchProgress('message-batch', 'completed')).toBe('unknown');
  });

  it('names our address of the results, if there are some', () => {
    const names = { model: 'm', resultsUrl: 'http://here/results' };
    const shown = (results_url: string | null) =>
      JSON.parse(text(readBatch(bytes({ id: 'b', processing_status: 'ended', results_url }), names).pieces));
    expect(shown('https://vendor.example/results').results_url).toBe('http://here/results');
    expect(shown(null).results_url).toBeNull();
  });

  it('is a job, unless it failed at once', () => {
    const dialect = getBatchDialect('chat');
    expect(dialect.readResponse(bytes({ id: 'b', status: 'validating' }), 'm').jobId).toBe('b');
    expect(dialect.readResponse(bytes({ id: 'b', status: 'failed' }), 'm').jobId).toBeUndefined();
    expect(dialect.readResponse(bytes({ id: 'a/b', status: 'validating' }), 'm').valid).toBe(false);
    const body = { body: Buffer.from('{}'), contentType: '', path: undefined };
    expect(dialect.readRequest(body)).toMatchObject({ kind: 'refusal' });
    expect(dialect.spliceRequest(body, {} as RequestFacts, 'x')).toEqual([body.body]);
  });
});

describe('a line of results', () => {
  const message = {
    ...{
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'vendor-m',
      content: [{ type: 'text', text: 'Hi' }],
    },
    usage: { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 2 },
  };
  const line = (type: string, rest: object) => bytes({ custom_id: 'a', result: { type, ...rest } });

  it('has the usage of an answer, and the name of the platform', () => {
    const result = readResult(line('succeeded', { message }), 'messages', 'm');
    expect(result).toMatchObject({ usage: { inputFresh: 5, cacheRead: 2, outputText: 3 }, estimated: false });
    expect(JSON.parse(text(result.pieces)).result.message.model).toBe('m');
    expect(addUsage(result.usage, result.usage)).toMatchObject({ inputFresh: 10, outputText: 6 });
  });

  it('costs nothing without an answer, and is counted without a report', () => {
    const free = [
      line('errored', { error: { type: 'error', error: { type: 'x', message: 'no' } } }),
      line('canceled', {}),
      line('expired', { message }),
      bytes({ custom_id: 'a', response: { status_code: 500, body: { error: {} } }, error: null }),
      bytes({ custom_id: 'a', response: null, error: { message: 'no' } }),
      Buffer.from('{"half":'),
      Buffer.from(''),
    ];
    for (const each of free) {
      expect(readResult(each, 'messages', 'm')).toEqual({
        pieces: [each],
        usage: NO_USAGE,
        estimated: false,
      });
    }
    const { usage: _, ...silent } = message;
    const counted = readResult(line('succeeded', { message: silent }), 'messages', 'm');
    expect(counted).toMatchObject({ estimated: true, usage: { inputFresh: 0, outputText: 1 } });
  });

  it('of requests names the platform’s model too', () => {
    const given = bytes({ custom_id: 'a', body: { model: 'vendor-m', x: 1 } });
    expect(JSON.parse(text(readInputLine(given, 'm'))).body).toEqual({ model: 'm', x: 1 });
    const odd = Buffer.from('[]');
    expect(readInputLine(odd, 'm')).toEqual([odd]);
  });
});

/** Cuts bytes into chunks at these places. */
function cut(whole: Buffer, places: readonly number[]): readonly Buffer[] {
  const at = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((one, two) => one - two);
  return [0, ...at].map((start, index) => whole.subarray(start, at[index] ?? whole.length));
}

const places = fc.array(fc.nat(10_000), { maxLength: 20 });

describe('lines', () => {
  it('are the same however they arrive, and a long one passes in parts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 })), places, (words, at) => {
        const whole = Buffer.from(words.join('\n'));
        const lines: string[] = [];
        let passed = '';
        const splitter = new LineSplitter(8, {
          line: (line, end) => {
            expect(line.length).toBeLessThanOrEqual(8);
            lines.push(line.toString());
            passed += line.toString('latin1') + end;
          },
          part: (part) => {
            passed += part.toString('latin1');
          },
        });
        for (const chunk of cut(whole, at)) splitter.push(chunk as Parameters<LineSplitter['push']>[0]);
        splitter.finish();
        expect(passed).toBe(whole.toString('latin1'));
        expect(splitter.heldBytes).toBe(0);
      }),
    );
  });
});

describe('a form that streams', () => {
  const part = (name: string, content: string, file = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  const FILE = '; filename="a.jsonl"';

  function readAll(whole: Buffer, at: readonly number[]) {
    const form = new FormStream('multipart/form-data; boundary=b');
    const parts: [string, string][] = [];
    const take = (event: FormEvent): void => {
      const last = parts.at(-1);
      if (event.kind === 'part') parts.push([event.head.name, '']);
      else if (event.kind === 'content' && last !== undefined) last[1] += event.bytes.toString('latin1');
    };
    for (const chunk of cut(whole, at)) for (const event of form.push(chunk)) take(event);
    return { parts, isWhole: form.isWhole };
  }

  it('has the same parts however it arrives', () => {
    const content = fc
      .stringMatching(/^[\r\n\-bx]{0,40}$/)
      .filter((each) => !`\r\n${each}`.includes('\r\n--b'));
    fc.assert(
      fc.property(content, content, places, (one, two, at) => {
        const whole = Buffer.from(`${part('purpose', one)}${part('file', two, FILE)}--b--\r\n`);
        expect(readAll(whole, at)).toEqual({
          parts: [
            ['purpose', one],
            ['file', two],
          ],
          isWhole: true,
        });
      }),
    );
  });

  it('is refused if it is none, and is not whole without its end', () => {
    expect(readAll(Buffer.from(part('file', 'x', FILE)), []).isWhole).toBe(false);
    const wrong = [
      'x--b\r\n',
      '--bxx',
      `--b\r\n${'x'.repeat(20_000)}`,
      part('purpose', 'x', FILE),
      part('File', 'x'),
      part('purpose', 'x') + part('purpose', 'x'),
      part('a', 'x') + part('A', 'x'),
    ];
    for (const each of wrong) expect(() => readAll(Buffer.from(each), [])).toThrow(NotAForm);
    expect(() => new FormStream('multipart/form-data')).toThrow(NotAForm);
    const many = Array.from({ length: 300 }, (_, at) => part(`f${at}`, '')).join('');
    expect(() => readAll(Buffer.from(many), [])).toThrow('too many parts');
  });
});
