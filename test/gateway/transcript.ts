import { stopTestServer } from '../support/postgres.ts';
import type { World } from '../support/world.ts';
import { type Answered, type Asked, perform } from './ask.ts';
import { ERROR_CASES } from './error-cases.ts';
import { startErrorWorld } from './error-world.ts';

/** Prints every error of the gateway as a conversation: `node test/gateway/transcript.ts`. */

const SHOWN_LENGTH = 200;
/** Keys of a world that is gone in a moment, but a transcript should not look like a leak. */
const KEY = /tg-[0-9a-z]{6}[0-9a-z]{33}/g;

function printed(world: World, { method, path, headers, body }: Asked): string {
  const lines = [`$ curl -i -X ${method} '${world.url}${path}'`];
  for (const [name, value] of Object.entries(headers))
    if (value !== '') lines.push(`  -H '${name}: ${value}'`);
  if (body !== undefined) lines.push(`  --data-binary ${shownBody(body)}`);
  return lines.join(' \\\n').replace(KEY, (key) => `${key.slice(0, 9)}…`);
}

function shownBody(body: Exclude<Asked['body'], undefined>): string {
  if (Buffer.isBuffer(body)) return `@- # ${body.length} bytes that are no text`;
  if (typeof body !== 'string') return '@- # 104857601 bytes, chunked';
  return `'${body.length <= SHOWN_LENGTH ? body : `${body.slice(0, SHOWN_LENGTH)}…' # ${body.length} bytes, '`}'`;
}

const SHOWN_HEADERS = [
  'content-type',
  'x-request-id',
  'retry-after',
  'x-should-retry',
  'x-tollgate-limit',
  'allow',
];

function shownAnswer({ status, headers, body }: Answered): string {
  const lines = SHOWN_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}: ${String(value)}`];
  });
  return [`HTTP/1.1 ${status}`, ...lines, '', body].join('\n');
}

const world = await startErrorWorld();
for (const { code, when, ask } of ERROR_CASES) {
  const asked = await ask(world);
  const question = printed(world, asked);
  const answer = await perform(world.url, asked);
  process.stdout.write(`# ${code} is answered ${when}\n${question}\n\n${shownAnswer(answer)}\n\n`);
}
await world.close();
await stopTestServer();
