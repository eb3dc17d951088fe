import { gzipSync } from 'node:zlib';
import type { Plan } from '../answer/plan.ts';
import type { Dialect } from '../dialect.ts';
import type { Exchange } from '../exchange.ts';
import type { FaultCall } from '../request/directive.ts';
import { parseJson, record } from '../request/json.ts';

/** Faults in place of an answer. The plan is there for those that give a wrong form of the right one. */
export type WireFault = (exchange: Exchange, fault: FaultCall, answer: Answerer) => Promise<void>;

export interface Answerer {
  readonly dialect: Dialect;
  readonly plan: Plan;
}

const MIB = 1024 * 1024;
const MISSING_BYTES = 100;
const INTERNAL_ADDRESS = 'http://169.254.169.254/latest/meta-data/';
const PAGE = '<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>';

export const WIRE_FAULTS: Readonly<Record<string, WireFault>> = {
  'no-headers': (exchange) => exchange.silence(),
  close: (exchange) => exchange.cut(),
  'reset-early': (exchange) => exchange.reset(),
  'headers-then-silence': async (exchange, _, { dialect, plan }) => {
    head(exchange, dialect.headers(plan), streamType(plan));
    exchange.response.flushHeaders();
    await exchange.silence();
  },
  html: async (exchange) => body(exchange, 200, { 'content-type': 'text/html; charset=utf-8' }, PAGE),
  'json-not-sse': async (exchange, _, { dialect, plan }) => {
    generated(exchange, plan);
    body(exchange, 200, dialect.headers(plan), dialect.plain(plan));
  },
  'empty-200': async (exchange, _, { dialect, plan }) => body(exchange, 200, dialect.headers(plan), ''),
  'error-200': async (exchange, _, { dialect, plan }) =>
    body(
      exchange,
      200,
      dialect.headers(plan),
      dialect.failure(500, 'Simulated error under status 200.').body,
    ),
  'bad-length': async (exchange, _, { dialect, plan }) => {
    const text = dialect.plain(plan);
    generated(exchange, plan);
    const length = Buffer.byteLength(text) + MISSING_BYTES;
    head(exchange, dialect.headers(plan), { 'content-length': String(length) });
    exchange.response.write(text);
    await exchange.cut();
  },
  redirect: async (exchange, fault) =>
    body(exchange, fault.at ?? 307, { location: fault.value ?? INTERNAL_ADDRESS }, ''),
  status: async (exchange, fault, { dialect }) => failWith(exchange, fault, dialect),
  'gzip-bomb': async (exchange, fault, { dialect, plan }) => {
    const bomb = gzipSync(Buffer.alloc((fault.at ?? 256) * MIB, 0x20));
    head(exchange, dialect.headers(plan), { 'content-encoding': 'gzip' });
    exchange.response.end(bomb);
  },
  'huge-body': hugeBody,
};

function head(
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
  more: Record<string, string>,
): void {
  exchange.call.status = 200;
  exchange.response.writeHead(200, { ...headers, ...more });
}

function streamType(plan: Plan): Record<string, string> {
  return plan.ask.stream === 'stream' ? { 'content-type': 'text/event-stream; charset=utf-8' } : {};
}

function body(
  exchange: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): void {
  exchange.reply({ kind: 'reply', status, headers, body: text });
}

/** The vendor made the whole answer before it sent it wrongly. */
function generated(exchange: Exchange, plan: Plan): void {
  exchange.call.outputTokens = plan.counts.output;
  exchange.call.reasoningTokens = plan.counts.reasoning;
  exchange.call.images = plan.ask.images;
}

/** `status@429:retry-after=10`; `date` stands for the HTTP date five seconds from now. */
function failWith(exchange: Exchange, fault: FaultCall, dialect: Dialect): void {
  const status = fault.at ?? 500;
  const wait = /^retry-after(?:-ms)?=.{1,100}$/.exec(fault.value ?? '')?.[0].split('=');
  const headers = wait === undefined ? {} : { [wait[0] ?? '']: retryAfter(wait[1] ?? '', exchange) };
  const made = dialect.failure(status, `Simulated status ${status}.`);
  const text = status === 204 || status === 304 ? '' : made.body;
  exchange.reply({ ...made, headers: { ...made.headers, ...headers }, body: text });
}

const DATE_AHEAD_MS = 5_000;

function retryAfter(value: string, exchange: Exchange): string {
  return value === 'date' ? new Date(exchange.call.startedAtMs + DATE_AHEAD_MS).toUTCString() : value;
}

/** The right answer with an unknown member of so many MiB, written as fast as it is read. */
async function hugeBody(exchange: Exchange, fault: FaultCall, { dialect, plan }: Answerer): Promise<void> {
  const parsed = parseJson(dialect.plain(plan));
  const text = JSON.stringify('value' in parsed ? record(parsed.value) : {});
  generated(exchange, plan);
  head(exchange, dialect.headers(plan), {});
  const slice = 'x'.repeat(MIB);
  await exchange.write(`${text.slice(0, -1)},"padding":"`);
  for (let written = 0; written < (fault.at ?? 1024) && !exchange.closed; written++)
    await exchange.write(slice);
  await exchange.write('"}');
  exchange.response.end();
}
