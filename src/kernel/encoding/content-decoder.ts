import zlib from 'node:zlib';

/** The supported content encodings, of requests and of vendors' answers. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  br: 'br',
  zstd: 'zstd',
  deflate: 'deflate',
};

export type Encoding = 'gzip' | 'br' | 'zstd' | 'deflate';

/**
 * The meaning of a `content-encoding` header. Two encodings on one body are refused: only attackers send
 * them.
 */
export function readEncoding(header: string | undefined): Encoding | 'identity' | 'unsupported' {
  if (header === undefined || header === '') return 'identity';
  const name = header.trim().toLowerCase();
  if (name === 'identity') return 'identity';
  return Object.hasOwn(ENCODINGS, name) ? (ENCODINGS[name] ?? 'unsupported') : 'unsupported';
}

export interface DecoderSink {
  onDecoded(chunk: Buffer): void;
  onDecodedEnd(): void;
  /** `corrupt`: not of that encoding, or incomplete. `bomb`: over the ratio. Nothing is called afterwards. */
  onDecodeFailure(reason: 'corrupt' | 'bomb'): void;
  /** The input after which `write` returned false has been taken. */
  onDecoderDrain(): void;
}

/** Decoded bytes before the ratio is checked: short bodies of one repeated letter are legitimate. */
const RATIO_FREE_BYTES = 1024 * 1024;
const OUTPUT_CHUNK_BYTES = 64 * 1024;
/** RFC 8878 requires windows of 8 MiB. The library would accept 128 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

type DecoderStream =
  | zlib.Gunzip
  | zlib.Inflate
  | zlib.InflateRaw
  | zlib.BrotliDecompress
  | zlib.ZstdDecompress;

/**
 * A streaming decoder with a bound on the growth of a body. It never has more in memory than the engine needs
 * and one chunk of output, because it stops at the first chunk beyond the ratio.
 */
export class Decoder {
  readonly #encoding: Encoding;
  readonly #sink: DecoderSink;
  readonly #ratioMax: number;
  #stream: DecoderStream | undefined;
  #encodedBytes = 0;
  #decodedBytes = 0;
  #paused = false;
  #done = false;

  constructor(encoding: Encoding, ratioMax: number, sink: DecoderSink) {
    this.#encoding = encoding;
    this.#ratioMax = ratioMax;
    this.#sink = sink;
  }

  /** False: write no more before `onDecoderDrain`. */
  write(chunk: Buffer): boolean {
    if (this.#done || chunk.length === 0) return true;
    this.#encodedBytes += chunk.length;
    this.#stream ??= this.#open(chunk);
    return this.#stream.write(chunk);
  }

  end(): void {
    if (this.#done) return;
    if (this.#stream !== undefined) {
      this.#stream.end();
      return;
    }
    // Nothing was encoded: an empty body decodes to an empty body.
    this.#done = true;
    this.#sink.onDecodedEnd();
  }

  pause(): void {
    this.#paused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#stream?.resume();
  }

  destroy(): void {
    this.#done = true;
    this.#stream?.destroy();
  }

  #open(first: Buffer): DecoderStream {
    const stream = createStream(this.#encoding, first);
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('drain', () => {
      if (!this.#done) this.#sink.onDecoderDrain();
    });
    stream.on('end', () => {
      if (this.#done) return;
      this.#done = true;
      this.#sink.onDecodedEnd();
    });
    stream.on('error', () => this.#fail('corrupt'));
    if (this.#paused) stream.pause();
    return stream;
  }

  #take(chunk: Buffer): void {
    if (this.#done) return;
    this.#decodedBytes += chunk.length;
    const swollen = this.#decodedBytes > this.#encodedBytes * this.#ratioMax;
    if (swollen && this.#decodedBytes > RATIO_FREE_BYTES) this.#fail('bomb');
    else this.#sink.onDecoded(chunk);
  }

  #fail(reason: 'corrupt' | 'bomb'): void {
    if (this.#done) return;
    this.destroy();
    this.#sink.onDecodeFailure(reason);
  }
}

function createStream(encoding: Encoding, first: Buffer): DecoderStream {
  const chunkSize = OUTPUT_CHUNK_BYTES;
  switch (encoding) {
    case 'gzip':
      return zlib.createGunzip({ chunkSize });
    case 'br':
      return zlib.createBrotliDecompress({ chunkSize });
    case 'zstd':
      return zlib.createZstdDecompress({
        chunkSize,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
      });
    case 'deflate':
      // RFC 9110 means the zlib form, but some senders leave out its two bytes. A low nibble of 8 shows it.
      return ((first[0] ?? 0) & 0x0f) === 8
        ? zlib.createInflate({ chunkSize })
        : zlib.createInflateRaw({ chunkSize });
  }
}
