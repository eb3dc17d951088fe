import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/cost.ts';
import { mp4, webm } from '../../../test/support/sounds/containers.ts';
import { flac, mp3, wav as wavOf } from '../../../test/support/sounds/frames.ts';
import { MEDIA_PARTS_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RequestFacts } from '../dialect.ts';
import { getDialect } from '../registry.ts';

const path = { model: 'gemini-2.5-flash', stream: false, framing: 'sse' } as const;

async function read(protocol: Protocol, body: object): Promise<RequestFacts> {
  const raw = { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json', path };
  const facts = await getDialect(protocol).readRequest(raw);
  if (isRefusal(facts)) throw new Error(facts.message);
  return facts;
}

function png(width: number, height: number, bytes = 64): Buffer {
  const file = Buffer.alloc(Math.max(bytes, 64));
  file.write('\x89PNG\r\n\x1a\n', 'latin1');
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}

function jpeg(width: number, height: number): Buffer {
  const remark = Buffer.alloc(5_002, 1);
  remark.writeUInt16BE(0xffe1, 0);
  remark.writeUInt16BE(5_000, 2);
  const frame = Buffer.alloc(20);
  frame.writeUInt16BE(0xffc2, 0);
  frame.writeUInt16BE(17, 2);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), remark, frame]);
}

function gif(width: number, height: number): Buffer {
  const file = Buffer.alloc(64);
  file.write('GIF89a', 'latin1');
  file.writeUInt16LE(width, 6);
  file.writeUInt16LE(height, 8);
  return file;
}

function webp(width: number, height: number): Buffer {
  const file = Buffer.alloc(64);
  file.write('RIFF____WEBPVP8X', 'latin1');
  file.writeUIntLE(width - 1, 24, 3);
  file.writeUIntLE(height - 1, 27, 3);
  return file;
}

function avif(width: number, height: number): Buffer {
  const file = Buffer.alloc(256);
  file.write('ftypavif', 4, 'latin1');
  file.write('ispe', 100, 'latin1');
  file.writeUInt32BE(width, 108);
  file.writeUInt32BE(height, 112);
  return file;
}

function wav(seconds: number): Buffer {
  const file = Buffer.alloc(44 + seconds * 16_000);
  file.write('RIFF____WAVEfmt ', 'latin1');
  file.writeUInt32LE(16_000, 28);
  return file;
}

function pdf(pages: number): Buffer {
  const object = `1 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 9 0 R>> endobj\n`;
  return Buffer.from(`%PDF-1.4\n${object.repeat(pages)}2 0 obj <</Type /Pages /Count ${pages}>>`);
}

/** Its pages stand in a stream of objects, as newer writers have them. */
function pressedPdf(pages: number): Buffer {
  const objects = deflateSync(Buffer.from('<</Type/Page/Parent 2 0 R>>'.repeat(pages)));
  const head = Buffer.from(`%PDF-1.7\n3 0 obj <</Type /ObjStm /N ${pages} /Filter /FlateDecode>> stream\n`);
  return Buffer.concat([head, objects, Buffer.from('\nendstream endobj'), Buffer.alloc(pages * 60)]);
}

/** The file as each protocol carries it. */
const CARRIERS: Readonly<Record<string, (file: Buffer, mime: string) => object>> = {
  chat: (file, mime) => ({
    model: 'gpt-4o',
    messages: [{ content: [{ type: 'image_url', image_url: { url: dataOf(file, mime) } }] }],
  }),
  responses: (file, mime) => ({
    model: 'gpt-4o',
    input: [{ content: [{ type: 'input_image', image_url: dataOf(file, mime) }] }],
  }),
  messages: (file, mime) => ({
    model: 'claude-sonnet-4-5',
    messages: [{ content: [{ type: 'image', source: sourceOf(file, mime) }] }],
  }),
  gemini: (file, mime) => ({
    contents: [{ parts: [{ inlineData: { mimeType: mime, data: file.toString('base64') } }] }],
  }),
};

const dataOf = (file: Buffer, mime: string): string => `data:${mime};base64,${file.toString('base64')}`;
const sourceOf = (file: Buffer, mime: string): object => ({
  type: 'base64',
  media_type: mime,
  data: file.toString('base64'),
});
const mediaOf = async (protocol: string, file: Buffer, mime: string): Promise<number> =>
  (await read(protocol as Protocol, CARRIERS[protocol]?.(file, mime) ?? {})).mediaTokens ?? 0;

describe('a picture counts by its pixels, as at its vendor', () => {
  it.each([
    ['PNG', png],
    ['JPEG', jpeg],
    ['GIF', gif],
    ['WebP', webp],
    ['AVIF', avif],
  ])('%s', async (_name, make) => {
    // Tiles of 512 after 768 for the shorter side, or patches of 32 and a fifth; pixels by 750; tiles of 768.
    expect(await mediaOf('chat', make(1024, 1024), 'image/png')).toBe(Math.ceil(1_024 * 1.2));
    expect(await mediaOf('responses', make(200, 100), 'image/png')).toBe(255);
    expect(await mediaOf('messages', make(750, 200), 'image/png')).toBe(210);
    expect(await mediaOf('gemini', make(300, 300), 'image/png')).toBe(258);
    expect(await mediaOf('gemini', make(1_000, 1_000), 'image/png')).toBe(258 * 5);
  });

  it('but at most like the largest picture, and at least like an unknown one', async () => {
    expect(await mediaOf('messages', png(4_000_000_000, 4_000_000_000), 'image/png')).toBe(1_640);
    expect(await mediaOf('messages', png(0, 0), 'image/png')).toBe(1_640);
    expect(await mediaOf('messages', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]), 'image/jpeg')).toBe(
      1_640,
    );
    expect(await mediaOf('messages', Buffer.from('what is this?'), 'image/png')).toBe(1_640);
  });
});

describe('a document counts by its pages', () => {
  it.each([
    ['in the open', pdf],
    ['pressed', pressedPdf],
  ])('%s', async (_name, make) => {
    for (const pages of [1, 7, 90]) {
      expect(await mediaOf('messages', make(pages), 'application/pdf')).toBe(pages * 3_500);
    }
  });

  it('or by its bytes where the pages cannot be counted, within bounds', async () => {
    const closed = Buffer.concat([Buffer.from('%PDF-1.7 '), Buffer.alloc(100_000, 7)]);
    expect(await mediaOf('messages', closed, 'application/pdf')).toBe(13 * 3_500);
    const boaster = Buffer.from('%PDF-1.7 /Count 999999999 ');
    expect(await mediaOf('messages', boaster, 'application/pdf')).toBe(3_500);
  });

  it('or as text when it is declared as text', async () => {
    const text = Buffer.from(`%PDF-1.7 ${'please read this. '.repeat(2_000)}`);
    const { inputTokensEstimate } = await read('gemini', CARRIERS.gemini?.(text, 'text/plain') ?? {});
    expect(inputTokensEstimate).toBeGreaterThan(text.length / 3);
  });
});

describe('sound and film count by their seconds', () => {
  it('which the header gives', async () => {
    expect(await mediaOf('gemini', wav(60), 'audio/wav')).toBeGreaterThanOrEqual(60 * 32);
    expect(await mediaOf('gemini', wav(60), 'audio/wav')).toBeLessThan(62 * 40);
  });

  it('which the bytes give without a header', async () => {
    const ogg = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(30_000)]);
    expect(await mediaOf('gemini', ogg, 'audio/ogg')).toBe(11 * 40);
    const film = Buffer.concat([Buffer.from('____ftypisom'), Buffer.alloc(400_000)]);
    expect(await mediaOf('gemini', film, 'video/mp4')).toBe(11 * 300);
  });
});

describe('sound counts by what its data holds, wherever it is sent', () => {
  const lies = wavOf(600, { sampleRate: 8_000, claims: { byteRate: 0xffffffff } });
  const inChat = (file: Buffer) => ({
    model: 'gpt-4o-audio-preview',
    messages: [
      { content: [{ type: 'input_audio', input_audio: { format: 'wav', data: file.toString('base64') } }] },
    ],
  });

  it.each([
    ['chat', inChat(lies), 600 * 12],
    ['chat', inChat(mp3(60)), 61 * 12],
    ['chat', inChat(flac(60, { claimed: 1 })), 60 * 12],
    [
      'chat',
      {
        model: 'qwen',
        messages: [{ content: [{ type: 'audio_url', audio_url: { url: dataOf(lies, 'audio/wav') } }] }],
      },
      600 * 40,
    ],
    [
      'responses',
      {
        model: 'gpt-4o',
        input: [{ content: [{ type: 'input_audio', input_audio: { data: lies.toString('base64') } }] }],
      },
      600 * 12,
    ],
    ['gemini', CARRIERS.gemini?.(lies, 'audio/wav') ?? {}, 600 * 40],
    ['gemini', CARRIERS.gemini?.(webm(60), 'audio/webm') ?? {}, 60 * 40],
    ['gemini', CARRIERS.gemini?.(mp4(60, { movie: 1 }), 'video/mp4') ?? {}, 61 * 300],
  ] as const)('%s (%#)', async (protocol, body, tokens) => {
    expect((await read(protocol, body)).mediaTokens).toBe(tokens);
  });

  it('at an address counts as ten minutes', async () => {
    const part = { type: 'audio_url', audio_url: { url: 'https://sounds.invalid/a.mp3' } };
    expect((await read('chat', { model: 'qwen', messages: [{ content: [part] }] })).mediaTokens).toBe(
      600 * 40,
    );
  });
});

describe('the estimate of stored or remote media is that of a large file of its kind', () => {
  it.each([
    [
      'chat',
      { model: 'gpt-4o', messages: [{ content: [{ image_url: { url: 'https://x.example/a' } }] }] },
      1_000,
    ],
    [
      'chat',
      { model: 'm', messages: [{ content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      20_000,
    ],
    ['responses', { model: 'm', input: [{ content: [{ type: 'input_file', file_id: 'file-1' }] }] }, 20_000],
    [
      'responses',
      { model: 'm', input: [{ content: [{ file_url: 'https://x.example/a.pdf', type: 'input_file' }] }] },
      20_000,
    ],
    [
      'messages',
      {
        model: 'm',
        messages: [{ content: [{ type: 'document', source: { type: 'url', url: 'https://x.example/a' } }] }],
      },
      20_000,
    ],
    ['gemini', { contents: [{ parts: [{ fileData: { fileUri: 'https://youtu.be/abc' } }] }] }, 50_000],
    [
      'gemini',
      { contents: [{ parts: [{ file_data: { file_uri: 'gs://b/a.wav', mime_type: 'audio/wav' } }] }] },
      10_000,
    ],
  ] as const)('%s %j', async (protocol, body, least) => {
    expect((await read(protocol, body)).mediaTokens).toBeGreaterThanOrEqual(least);
  });

  it('but a quoted id counts nothing', async () => {
    const annotations = [{ type: 'file_citation', file_id: 'file-1', filename: 'a.pdf' }];
    const content = [{ type: 'output_text', text: 'x', annotations }];
    expect(
      (await read('responses', { model: 'm', input: [{ role: 'assistant', content }] })).mediaTokens,
    ).toBe(0);
  });
});

describe('a text that looks like a file counts as text', () => {
  const file = png(10, 10, 60_000).toString('base64');
  const source = { type: 'base64', media_type: 'image/png', data: file };

  it.each([
    ['messages', { model: 'm', messages: [{ content: [{ type: 'tool_use', input: { source } }] }] }],
    [
      'messages',
      { model: 'm', messages: [{ content: [{ type: 'document', source: { ...source, type: 'text' } }] }] },
    ],
    [
      'messages',
      { model: 'm', messages: [{ content: [{ source: { data: file, type: 'text' }, type: 'document' }] }] },
    ],
    ['gemini', { contents: [{ parts: [{ functionCall: { args: { inlineData: { data: file } } } }] }] }],
    ['chat', { model: 'm', messages: [{ content: file }] }],
    ['chat', { model: 'm', messages: [], tools: [{ function: { file: { file_data: file } } }] }],
    [
      'chat',
      { model: 'm', messages: [{ content: [{ type: 'text', text: `data:image/png;base64,${file}` }] }] },
    ],
    ['responses', { model: 'm', input: file }],
  ] as const)('%s (%#)', async (protocol, body) => {
    const facts = await read(protocol, body);
    expect(facts.mediaTokens).toBe(0);
    expect(facts.inputTokensEstimate).toBeGreaterThan(file.length / 3);
  });
});

describe('a file is counted however it is written', () => {
  const ask = (source: object) => ({
    model: 'claude-x',
    messages: [{ content: [{ type: 'document', source }] }],
  });
  const tokensOf = async (text: string): Promise<number> => {
    const raw = { body: Buffer.from(text), contentType: 'application/json', path: undefined };
    const facts = await getDialect('messages').readRequest(raw);
    if (isRefusal(facts)) throw new Error(facts.message);
    return facts.mediaTokens ?? 0;
  };
  const written = JSON.stringify(ask({ type: 'url', url: 'https://x.example/a.pdf' }));

  it.each([
    ['source', 'so\\u0075rce'],
    ['url":', '\\u0075r\\u006c":'],
    ['https://', '\\u0068ttps:\\/\\/'],
    ['https://', ' HTTPS://'],
    ['x.example', `${'x'.repeat(200)}\\u0041.example`],
  ])('%s as %s', async (plain, other) => {
    const tokens = await tokensOf(written);
    expect(tokens).toBeGreaterThan(20_000);
    expect(written).toContain(plain);
    expect(await tokensOf(written.replace(plain, other))).toBe(tokens);
  });

  it('a document in escapes', async () => {
    const text = JSON.stringify(ask(sourceOf(pdf(90), 'application/pdf')));
    const escaped = text.replace('JVBE', '\\u004aVB\\u0045');
    expect(await tokensOf(escaped)).toBe(90 * 3_500);
  });

  it('a document with pages behind an unreadable stream', async () => {
    const sealed = Buffer.concat([Buffer.from('/Type /ObjStm >> stream\n'), Buffer.alloc(100_000, 7)]);
    const tokens = await mediaOf('messages', Buffer.concat([pdf(1), sealed]), 'application/pdf');
    expect(tokens).toBeGreaterThan(10 * 3_500);
  });

  it('a file beyond those that are inspected', async () => {
    const content = Array.from({ length: MEDIA_PARTS_MAX + 50 }, (_, index) => ({
      type: 'image',
      source: { type: 'url', url: `https://x.example/${index}` },
    }));
    const facts = await read('messages', { model: 'claude-x', messages: [{ content }] });
    expect(facts.mediaTokens).toBe(content.length * 4_800);
  });
});

it('thousands of hostile files are inspected in bounded time', async () => {
  const hostile = [jpeg(1, 1), pdf(3), pressedPdf(3), avif(1, 1)].map((file) => sourceOf(file, 'image/png'));
  const content = Array.from({ length: 3_000 }, (_, index) => ({ source: hostile[index % hostile.length] }));
  const bomb = deflateSync(Buffer.alloc(50_000_000));
  const stream = Buffer.from('/Type /ObjStm >> stream\n');
  const pressed = Buffer.concat([Buffer.from('%PDF'), ...Array(200).fill(Buffer.concat([stream, bomb]))]);
  content.push({ source: sourceOf(pressed, 'application/pdf') });
  const started = processorMs();
  const facts = await read('messages', { model: 'm', messages: [{ content }] });
  expect(facts.inputTokensEstimate).toBeGreaterThan(0);
  expect(processorMs() - started).toBeLessThan(3_000);
});
