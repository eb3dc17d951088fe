import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { Decoder, type Encoding, readEncoding } from './content-decoder.ts';

const ENCODERS: Readonly<Record<Encoding, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
};
const encodings = Object.keys(ENCODERS) as Encoding[];

interface Decoding {
  readonly decoder: Decoder;
  readonly done: Promise<Buffer | 'corrupt' | 'bomb'>;
  bytes(): number;
}

function decode(encoding: Encoding, ratioMax = 100): Decoding {
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Buffer | 'corrupt' | 'bomb'>();
  const decoder = new Decoder(encoding, ratioMax, {
    onDecoded: (chunk) => chunks.push(chunk),
    onDecodedEnd: () => resolve(Buffer.concat(chunks)),
    onDecodeFailure: resolve,
    onDecoderDrain: () => {},
  });
  return { decoder, done: promise, bytes: () => chunks.reduce((sum, chunk) => sum + chunk.length, 0) };
}

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['Identity', 'identity'],
  [' GZip ', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['deflate', 'deflate'],
  ['gzip, gzip', 'unsupported'],
  ['compress', 'unsupported'],
  ['constructor', 'unsupported'],
  ['__proto__', 'unsupported'],
])('the header %s means %s', (header, expected) => {
  expect(readEncoding(header)).toBe(expected);
});

test('an encoded body is decoded exactly, however its bytes are split', async () => {
  const input = fc.record({
    encoding: fc.constantFrom(...encodings),
    bytes: fc.uint8Array({ maxLength: 2_000 }),
    splits: fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(input, async ({ encoding, bytes, splits }) => {
      const encoded = ENCODERS[encoding](bytes);
      const { decoder, done } = decode(encoding);
      let offset = 0;
      for (const length of splits) {
        decoder.write(encoded.subarray(offset, offset + length));
        offset += length;
      }
      decoder.write(encoded.subarray(offset));
      decoder.end();
      expect(await done).toEqual(Buffer.from(bytes));
    }),
    { numRuns: runs(60) },
  );
});

test('arbitrary bytes never throw: every body ends as bytes, corrupt or a bomb', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...encodings),
      fc.uint8Array({ maxLength: 200 }),
      async (encoding, bytes) => {
        const { decoder, done } = decode(encoding);
        decoder.write(Buffer.from(bytes));
        decoder.end();
        const result = await done;
        expect(Buffer.isBuffer(result) || result === 'corrupt' || result === 'bomb').toBe(true);
      },
    ),
    { numRuns: runs(100) },
  );
});

test('an empty body decodes to an empty one, and a truncated one is corrupt', async () => {
  for (const encoding of encodings) {
    const empty = decode(encoding);
    empty.decoder.end();
    expect(await empty.done).toEqual(Buffer.alloc(0));
    const encoded = ENCODERS[encoding](Buffer.alloc(5_000, 97));
    const cut = decode(encoding);
    cut.decoder.write(encoded.subarray(0, encoded.length - 3));
    cut.decoder.end();
    expect([encoding, await cut.done]).toEqual([encoding, 'corrupt']);
  }
});

test('the ratio is checked after the first MiB, so that small repetitions pass', async () => {
  const pass = decode('gzip');
  pass.decoder.write(ENCODERS.gzip(Buffer.alloc(1024 * 1024, 97)));
  pass.decoder.end();
  expect(Buffer.isBuffer(await pass.done)).toBe(true);
  const bomb = decode('gzip');
  bomb.decoder.write(ENCODERS.gzip(Buffer.alloc(4 * 1024 * 1024, 97)));
  expect(await bomb.done).toBe('bomb');
  expect(bomb.bytes()).toBeLessThan(1.5 * 1024 * 1024);
});

test('a paused decoder emits nothing, and a destroyed one never emits again', async () => {
  const { decoder, done, bytes } = decode('gzip');
  decoder.pause();
  decoder.write(ENCODERS.gzip(Buffer.alloc(900_000, 97)));
  await sleep(30);
  expect(bytes()).toBe(0);
  decoder.resume();
  decoder.end();
  expect((await done).length).toBe(900_000);

  const destroyed = decode('gzip');
  destroyed.decoder.write(ENCODERS.gzip(Buffer.alloc(900_000, 97)));
  destroyed.decoder.destroy();
  expect(destroyed.decoder.write(Buffer.from('more'))).toBe(true);
  destroyed.decoder.end();
  await sleep(30);
  expect(destroyed.bytes()).toBe(0);
});
