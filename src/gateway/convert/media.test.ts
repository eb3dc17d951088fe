import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { MEDIA_CALL_BYTES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/log.ts';
import { getCapabilities } from '../../protocol/capability/table.ts';
import type { Target } from '../../protocol/hub/codec.ts';
import type { Part } from '../../protocol/hub/part.ts';
import type { TextProtocol } from '../../protocol/hub/protocol.ts';
import type { HubRequest } from '../../protocol/hub/request.ts';
import type { FetchedMedia, MediaFailure, MediaPatience } from '../../upstream/contract.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { CallMedia, getCallMedia, MediaShare, withMedia } from './media.ts';

const PNG: FetchedMedia = { kind: 'media', mime: 'image/png', bytes: Buffer.from('picture') };
const PDF: FetchedMedia = { kind: 'media', mime: 'application/pdf', bytes: Buffer.from('%PDF-') };
const TEXT: FetchedMedia = { kind: 'media', mime: 'text/markdown', bytes: Buffer.from('# Grüße') };
const BYTES = { kind: 'bytes', mime: 'image/png', base64: PNG.bytes.toString('base64') };

const MODELS = { chat: 'gpt-4o', responses: 'gpt-4o', messages: 'claude-opus-5', gemini: 'gemini-3-pro' };

function target(protocol: TextProtocol, overrides = {}): Target {
  const model = MODELS[protocol];
  return { protocol, model, issuer: 'none', capabilities: getCapabilities(protocol, model, overrides) };
}

const url = (name: string) => ({ kind: 'url', url: `https://a.example/${name}` }) as const;
const image: Part = { kind: 'image', source: url('a.png'), detail: 'low' };
const file: Part = { kind: 'file', source: url('b.pdf'), filename: 'b.pdf' };

function request(...parts: readonly Part[]): HubRequest {
  return { turns: [{ role: 'user', parts }] } as unknown as HubRequest;
}

/** Answers by the ending of the address; everything fetched is noted. */
function shelf(answers: Readonly<Record<string, FetchedMedia | MediaFailure>> = { png: PNG, pdf: PDF }) {
  const asked: string[] = [];
  let heldBytes = 0;
  const bodies = {
    take: (_accountId: number, bytes: number) => {
      heldBytes += bytes;
      return true;
    },
    give: (_accountId: number, bytes: number) => {
      heldBytes -= bytes;
    },
  };
  const fetch = (address: string, { room }: MediaPatience) => {
    asked.push(address);
    const answer = answers[address.split('.').at(-1) ?? ''] ?? PNG;
    if (answer.kind === 'media') room(answer.bytes.length);
    return Promise.resolve(answer);
  };
  const response = Object.assign(new EventEmitter(), { closed: false });
  const deps = { media: { fetch }, bodies, log: silentLogger };
  const context = {
    response,
    deps,
    call: { id: 'req_1', caller: { account: { id: 1 } } },
  } as unknown as AttemptContext;
  return { context, response, asked, held: () => heldBytes, media: new CallMedia(context) };
}

const COUNTING = {
  asked: { protocol: 'messages', model: 'claude-opus-5' },
  served: { protocol: 'gemini', model: 'gemini-3-pro' },
} as const;
const createShare = (media: CallMedia) => new MediaShare(() => media, COUNTING);

async function partsAfter(asked: HubRequest, to: Target, { media } = shelf()): Promise<readonly Part[]> {
  const result = await withMedia(asked, to, createShare(media));
  if (isRefusal(result)) throw new Error(result.message);
  return result.turns.flatMap(({ parts }) => parts);
}

test('no place in the limits of a credential is kept while something is fetched', async () => {
  const { context, media } = shelf();
  let cancelled = 0;
  context.reservation = { take: async () => undefined, cancel: () => (cancelled += 1) };
  await withMedia(request({ kind: 'text', text: 'hello' }), target('gemini'), createShare(media));
  expect(cancelled).toBe(0);
  await withMedia(request(image), target('gemini'), createShare(media));
  expect(cancelled).toBe(1);
});

describe('an address is fetched for a target that cannot take it', () => {
  test('such as pictures and files for Google', async () => {
    const [picture, document] = await partsAfter(request(image, file), target('gemini'));
    expect(picture).toEqual({ kind: 'image', source: BYTES, detail: 'low' });
    expect(document).toMatchObject({ kind: 'file', filename: 'b.pdf', source: { mime: 'application/pdf' } });
  });

  test('such as files, but not pictures, for Chat Completions', async () => {
    const stand = shelf();
    const [picture, document] = await partsAfter(request(image, file), target('chat'), stand);
    expect(picture).toBe(image);
    expect(document).toMatchObject({ source: { kind: 'bytes' } });
    expect(stand.asked).toEqual(['https://a.example/b.pdf']);
  });

  test('such as everything for a vendor that fetches nothing', async () => {
    for (const protocol of ['chat', 'responses', 'messages'] as const) {
      const [picture] = await partsAfter(request(image), target(protocol, { mediaUrls: false }));
      expect(picture).toMatchObject({ source: BYTES });
    }
  });

  test('also inside the result of a tool', async () => {
    const result: Part = {
      kind: 'tool-result',
      callId: 'c',
      parts: [{ kind: 'text', text: 'see' }, image],
      isError: false,
      custom: false,
    };
    const [part] = await partsAfter(request(result), target('gemini'));
    expect(part).toEqual({
      ...result,
      parts: [
        { kind: 'text', text: 'see' },
        { ...image, source: BYTES },
      ],
    });
  });
});

describe('nothing is fetched', () => {
  const inline: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } };
  const stored: Part = { kind: 'image', source: { kind: 'url', url: 'gs://bucket/a.png' } };
  test.each([
    ['for a vendor that fetches itself', request(image, file), target('messages')],
    ['for OpenAI’s Responses', request(image, file), target('responses')],
    ['for Google’s models that do', request(image), target('gemini', { mediaUrls: true })],
    ['that is there already', request(inline), target('gemini')],
    ['that is no web address', request(stored), target('gemini')],
  ])('for %s, and the request stays the same object', (_what, asked, to) => {
    const nobody = (): never => {
      throw new Error('nothing is to be fetched');
    };
    expect(withMedia(asked, to, new MediaShare(nobody, COUNTING))).toBe(asked);
  });
});

test('a file that is a picture becomes one, and a text becomes a text', async () => {
  const answers = { pdf: PNG, md: TEXT };
  const stand = shelf(answers);
  const notes: Part = { kind: 'file', source: url('c.md'), title: 'Notes' };
  expect(await partsAfter(request(file, notes), target('chat'), stand)).toEqual([
    { kind: 'image', source: BYTES },
    { kind: 'file', source: { kind: 'text', text: '# Grüße' }, title: 'Notes' },
  ]);
});

describe('a failing fetch', () => {
  const failure = (reason: MediaFailure['reason']): MediaFailure => ({
    kind: 'media-failure',
    reason,
    detail: 'inner detail',
  });

  test.each([
    ['unreachable', 40004, 'image: the address could not be fetched'],
    ['too-slow', 40004, 'image: the address could not be fetched in time'],
    ['too-large', 40004, 'image: the content of the address is too large'],
    ['type', 40004, 'image: the content of the address is not a type that models read'],
    ['no-room', 50301, undefined],
  ] as const)('(%s) is %i and reveals neither address nor detail', async (reason, code, message) => {
    const { media } = shelf({ png: failure(reason) });
    const result = await withMedia(request(image), target('gemini'), createShare(media));
    if (!isRefusal(result)) return expect.unreachable('it was fetched');
    expect(result.error.code).toBe(code);
    if (message !== undefined) expect(result.message).toBe(message);
    expect(result.message).not.toMatch(/example|detail/);
  });

  test('of a document in place of a picture is refused', async () => {
    const { media } = shelf({ png: PDF });
    const result = await withMedia(request(image), target('gemini'), createShare(media));
    expect(result).toMatchObject({ message: 'image: the address does not lead to an image' });
  });
});

describe('the media of a call', () => {
  test('is fetched once, for any number of occurrences and routes', async () => {
    const stand = shelf();
    await partsAfter(request(image, image), target('gemini'), stand);
    await partsAfter(request(image), target('gemini'), stand);
    expect(stand.asked).toEqual(['https://a.example/a.png']);
  });

  test('is limited to ten items', async () => {
    const many = Array.from({ length: 11 }, (_, index): Part => {
      return { kind: 'image', source: url(`${index}.png`) };
    });
    const { media, asked } = shelf();
    const result = await withMedia(request(...many), target('gemini'), createShare(media));
    expect(result).toMatchObject({ message: 'image: more than 10 addresses are not fetched in one call' });
    expect(asked).toHaveLength(10);
  });

  test('is limited to the size of a request, with repeated addresses too', async () => {
    const large = { ...PNG, bytes: Buffer.alloc(MEDIA_CALL_BYTES_MAX / 2) };
    const stand = shelf({ png: large });
    expect(await partsAfter(request(image, image), target('gemini'), stand)).toHaveLength(2);
    const result = await withMedia(request(image, image, image), target('gemini'), createShare(stand.media));
    const message = 'image: more than 24 MiB are not fetched in one call';
    expect(result).toMatchObject({ error: { code: 40004 }, message });
    expect(stand.held()).toBe(large.bytes.length);
  });

  test('counts as memory until the client has its answer', async () => {
    const stand = shelf();
    await stand.media.fetch('https://a.example/a.png', 'image');
    expect(stand.held()).toBe(PNG.bytes.length);
    stand.response.emit('close');
    expect(stand.held()).toBe(0);
  });

  test('is one object for all routes of the call', () => {
    const { context } = shelf();
    expect(getCallMedia({ ...context })).toBe(getCallMedia(context));
  });
});
