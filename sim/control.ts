import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_BODY_BYTES_MAX, TRUTH_LISTED_MAX } from './bounds.ts';
import { parseJson, record } from './request/json.ts';
import type { Rule } from './script.ts';
import type { TruthCall } from './truth.ts';
import { forget, type World } from './world.ts';

const PREFIX = '/_sim/';

/** The remote control, for simulators that run in a process of their own. */
export function isControl(path: string): boolean {
  return path.startsWith(PREFIX);
}

export async function answerControl(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  const [operation = '', tag] = url.pathname.slice(PREFIX.length).split('/');
  const made = await perform(world, `${request.method} ${operation}`, { request, tag });
  response.writeHead(made === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(made ?? { error: 'unknown operation' }));
}

async function perform(
  world: World,
  operation: string,
  { request, tag }: { readonly request: IncomingMessage; readonly tag: string | undefined },
): Promise<object | undefined> {
  switch (operation) {
    case 'GET truth': {
      if (tag === undefined) return world.truth.all().slice(-TRUTH_LISTED_MAX);
      return world.truth.list(decodeURIComponent(tag)).map((call) => withBody(world, call));
    }
    case 'GET stats':
      return world.stats.snapshot();
    case 'POST script':
      return addRules(world, await readText(request));
    case 'DELETE script':
      world.rules.clear();
      return { rules: world.rules.size };
    case 'POST reset':
      forget(world);
      return { reset: 'done' };
    default:
      return undefined;
  }
}

function withBody(world: World, call: TruthCall): object {
  const body = world.truth.body(call);
  return body === undefined ? call : { ...call, bodyBase64: body.toString('base64') };
}

/** One rule, or a list of rules. */
function addRules(world: World, text: string): object | undefined {
  const parsed = parseJson(text);
  if ('problem' in parsed) return undefined;
  const rules = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  for (const rule of rules) {
    if (typeof record(rule).answer !== 'object') return undefined;
    world.rules.add(rule as Rule);
  }
  return { rules: world.rules.size };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > REQUEST_BODY_BYTES_MAX) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
