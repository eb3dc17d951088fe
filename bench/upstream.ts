/**
 * The vendor of the benchmark, as its own process: it answers from precomputed buffers and looks at nothing
 * but the marker in the body, so that it is never what is being measured.
 * Argument: the streams it knows, as JSON.
 */
import { createServer, type Socket } from 'node:net';
import { DIALECT_NAMES, DIALECTS, type DialectName, TEXTS } from './convert/dialect.ts';
import { chunkOf, MessageReader } from './wire.ts';

/** The marker stands in front of a body; beyond this nobody looks. */
const BODY_KEPT_BYTES = 64 * 1024;
/** A fast stream waits when its reader does not read. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** A kind of stream: the model by which it is asked for, and how it comes. */
export interface StreamKind {
  readonly model: string;
  readonly contentChunks: number;
  /** Between two events; 0: as fast as they are taken. */
  readonly paceMs: number;
}

const KINDS = JSON.parse(process.argv[2] ?? '[]') as readonly StreamKind[];

interface Stream {
  readonly socket: Socket;
  readonly frames: readonly Buffer[];
  next: number;
}

const fastStreams = new Set<Stream>();
let turning = false;

/** One slot per millisecond of the pace: a stream ticks in the slot in which it began. */
class Wheel {
  readonly #slots: readonly Set<Stream>[];
  #done = Math.floor(performance.now());

  constructor(paceMs: number) {
    this.#slots = Array.from({ length: paceMs }, () => new Set<Stream>());
  }

  slot(): Set<Stream> | undefined {
    return this.#slots[this.#done % this.#slots.length];
  }

  turn(): void {
    const now = Math.floor(performance.now());
    // A late tick does the slots it missed, but never one slot twice.
    this.#done = Math.max(this.#done, now - this.#slots.length);
    while (this.#done < now) {
      this.#done += 1;
      const slot = this.slot();
      for (const stream of slot ?? []) if (writeNext(stream) === 'ended') slot?.delete(stream);
    }
  }
}

const ENVELOPE = {
  id: 'chatcmpl-Bx7Qm2VtK9sPz4LwYcR1nE8d',
  object: 'chat.completion.chunk',
  created: 1767225600,
  model: 'bench-upstream',
  service_tier: 'default',
  system_fingerprint: 'fp_3f58d112f7',
};
const USAGE = {
  completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
};

function usageOf(promptTokens: number, completionTokens: number): object {
  const total = promptTokens + completionTokens;
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total, ...USAGE };
}

function eventOf(delta: object, finishReason: string | null): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason };
  const chunk = { ...ENVELOPE, choices: [choice], usage: null, obfuscation: 'p7Xw2Q' };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n' +
  'x-request-id: req_5b0c1d\r\ntransfer-encoding: chunked\r\n\r\n';

/** Each event in a frame of its own; head and end ride on the first and the last. */
function dialectFrames(dialect: DialectName): readonly Buffer[] {
  const frames = DIALECTS[dialect].vendorEvents(TEXTS).map(chunkOf);
  const [first, last] = [frames[0], frames.pop()];
  if (first === undefined || last === undefined) throw new Error('a stream has a beginning and an end');
  frames[0] = Buffer.concat([Buffer.from(STREAM_HEAD), first]);
  return [...frames, Buffer.concat([last, Buffer.from('0\r\n\r\n')])];
}

function streamFrames(contentChunks: number, usage: Usage): readonly Buffer[] {
  const role = chunkOf(eventOf({ role: 'assistant', content: '', refusal: null }, null));
  const frames: Buffer[] = [Buffer.concat([Buffer.from(STREAM_HEAD), role])];
  for (let index = 0; index < contentChunks; index += 1) {
    frames.push(chunkOf(eventOf({ content: ` word${index % 100}` }, null)));
  }
  frames.push(chunkOf(eventOf({}, 'stop')));
  if (usage === 'with-usage') {
    const last = { ...ENVELOPE, choices: [], usage: usageOf(220, contentChunks) };
    frames.push(chunkOf(`data: ${JSON.stringify(last)}\n\n`));
  }
  frames.push(Buffer.concat([chunkOf('data: [DONE]\n\n'), Buffer.from('0\r\n\r\n')]));
  return frames;
}

function plainAnswer(): Buffer {
  const content = 'The trains pay at the gate, and the gate keeps the books.';
  const message = { role: 'assistant', content, refusal: null, annotations: [] };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  const answer = { ...ENVELOPE, object: 'chat.completion', choices, usage: usageOf(220, 14) };
  const body = JSON.stringify(answer);
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_5b0c1d\r\n';
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const ANSWER = plainAnswer();
type Usage = 'with-usage' | 'without-usage';
const STREAMS = KINDS.map(({ model, contentChunks, paceMs }) => ({
  marker: `"${model}`,
  ...framesOf(contentChunks),
  wheel: paceMs > 0 ? new Wheel(paceMs) : undefined,
}));

function framesOf(contentChunks: number): Readonly<Record<Usage, readonly Buffer[]>> {
  return {
    'with-usage': streamFrames(contentChunks, 'with-usage'),
    'without-usage': streamFrames(contentChunks, 'without-usage'),
  };
}

/** Vendors of pairs live below this path, where the path itself says what is spoken. */
const PAIRS_PATH = /^POST \/pairs(\/\S*) /;
const PAIR_FRAMES = DIALECT_NAMES.map((name) => ({
  ending: DIALECTS[name].vendorPath,
  frames: dialectFrames(name),
}));
const UNKNOWN = Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 9\r\n\r\nno marker');

function answer(socket: Socket, head: string, body: Buffer): void {
  const path = PAIRS_PATH.exec(head)?.[1];
  const pair = path === undefined ? undefined : PAIR_FRAMES.find(({ ending }) => path.endsWith(ending));
  if (pair !== undefined) {
    stream(socket, pair.frames, fastStreams);
    return;
  }
  if (body.includes('"bench-json')) {
    socket.write(ANSWER);
    return;
  }
  const asked = STREAMS.find(({ marker }) => body.includes(marker));
  if (asked === undefined) {
    socket.write(UNKNOWN);
    return;
  }
  const frames = asked[body.includes('"include_usage":true') ? 'with-usage' : 'without-usage'];
  stream(socket, frames, asked.wheel?.slot() ?? fastStreams);
}

function stream(socket: Socket, frames: readonly Buffer[], streams: Set<Stream>): void {
  const started: Stream = { socket, frames, next: 0 };
  writeNext(started);
  streams.add(started);
  if (streams !== fastStreams || turning) return;
  turning = true;
  setImmediate(turnFastStreams);
}

/** Writes one event in one write, as vendors do. A stream whose reader has gone is over. */
function writeNext(stream: Stream): 'more' | 'ended' {
  const frame = stream.frames[stream.next];
  if (frame === undefined || stream.socket.destroyed) return 'ended';
  stream.next += 1;
  stream.socket.write(frame);
  return stream.next < stream.frames.length ? 'more' : 'ended';
}

function turnFastStreams(): void {
  for (const stream of fastStreams) {
    if (stream.socket.writableLength > UNREAD_BYTES_MAX) continue;
    if (writeNext(stream) === 'ended') fastStreams.delete(stream);
  }
  turning = fastStreams.size > 0;
  if (turning) setImmediate(turnFastStreams);
}

function serve(socket: Socket): void {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let head = '';
  socket.setNoDelay(true);
  const reader = new MessageReader({
    onHead: (text) => {
      head = text;
    },
    onBody: (piece) => {
      if (keptBytes < BODY_KEPT_BYTES) kept.push(piece);
      keptBytes += piece.length;
    },
    onEnd: () => {
      const body = kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
      kept = [];
      keptBytes = 0;
      answer(socket, head, body);
    },
  });
  socket.on('data', (data) => reader.push(data));
  // A gateway may drop a connection at any time; its stream is then found ended at the next turn.
  socket.on('error', () => socket.destroy());
}

setInterval(() => {
  for (const { wheel } of STREAMS) wheel?.turn();
}, 1);
const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.once('disconnect', () => process.exit(0));
