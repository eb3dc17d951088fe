import type { IncomingMessage } from 'node:http';
import { WHOLE_BODY } from './answer/frame.ts';
import { makePlan, type Plan, saidBy } from './answer/plan.ts';
import { sendSteps } from './answer/send.ts';
import { arrangeUsage } from './answer/usage.ts';
import { presentedKey, refuseKey } from './authorize.ts';
import { REQUEST_BODY_BYTES_MAX } from './bounds.ts';
import { enterCloud } from './cloud/clouds.ts';
import type { Visit, Visitor } from './cloud/visit.ts';
import type { Dialect, VendorRequest } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import { applyFaults, plainSteps, takeOver } from './faults.ts';
import { openaiFailure } from './openai/error.ts';
import { type Ask, isReply, type Reply } from './request/ask.ts';
import { type Directive, findDirective } from './request/directive.ts';
import { type Endpoint, findEndpoint } from './routes.ts';
import type { ScriptedAnswer } from './script.ts';
import type { World } from './world.ts';

export interface Incoming {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly exchange: Exchange;
}

/** auth → path → body → rules of the protocol → the script → the answer. */
export async function handle(world: World, incoming: Incoming): Promise<void> {
  const { request, url, exchange } = incoming;
  const body = await readBody(request);
  if (body === undefined) return void exchange.response.destroy();
  world.truth.keepBody(exchange.call, body);
  const visitor = { method: request.method ?? 'GET', url, headers: request.headers, body };
  const nowMs = world.clock.now();
  const visit = enterCloud(visitor, { keys: world.keys, clouds: world.clouds, nowMs });
  if (visit?.kind === 'reply') {
    world.truth.tag(exchange.call, findDirective(body.toString(), request.headers, '').tag);
    return exchange.reply(visit);
  }
  exchange.refuse = visit?.refuse;
  return serveVendor(world, exchange, visit ?? visitor);
}

async function serveVendor(world: World, exchange: Exchange, visit: Visitor | Visit): Promise<void> {
  const { method, url, headers, body } = visit;
  const endpoint = findEndpoint({ method, url, headers }, world);
  const vendor = endpoint.kind === 'generate' ? endpoint.dialect.vendor : endpoint.vendor;
  const key = presentedKey(vendor, { headers, query: url.searchParams });
  exchange.call.key = key;
  const refused = refuseKey(vendor, key, world.keys);
  if (refused !== undefined) return exchange.reply(refused);
  const vendorRequest: VendorRequest = {
    headers,
    path: url.pathname,
    query: url.searchParams,
    pathModel: endpoint.pathModel,
    body,
    key,
    wire: 'wire' in visit ? visit.wire : undefined,
  };
  if (endpoint.kind === 'serve') return serveDirectly(world, exchange, endpoint, vendorRequest);
  if (endpoint.kind === 'answer') return answerDirectly(world, exchange, endpoint, vendorRequest);
  return generate(world, exchange, endpoint.dialect, vendorRequest);
}

function answerDirectly(
  world: World,
  exchange: Exchange,
  endpoint: Endpoint & { kind: 'answer' },
  request: VendorRequest,
): void {
  world.truth.tag(exchange.call, findDirective(request.body.toString(), request.headers, '').tag);
  exchange.reply(endpoint.answer(request));
}

/** Rules of the script may stand before it. */
async function serveDirectly(
  world: World,
  exchange: Exchange,
  endpoint: Endpoint & { kind: 'serve' },
  request: VendorRequest,
): Promise<void> {
  const scripted = world.rules.take({ model: '', path: request.path, key: request.key, tag: '' });
  await exchange.pause(scripted?.delayMs ?? 0);
  if (scripted?.status === undefined) return endpoint.serve(request, exchange);
  const { status, message = `Simulated status ${status}.`, body, headers } = scripted;
  const made = openaiFailure(status, message);
  exchange.reply({ ...made, headers: { ...made.headers, ...headers }, body: body ?? made.body });
}

async function generate(
  world: World,
  exchange: Exchange,
  dialect: Dialect,
  request: VendorRequest,
): Promise<void> {
  const ask = dialect.examine(request);
  if (isReply(ask)) {
    // The prompt of a refused request was never read, but its tag is in the bytes all the same.
    world.truth.tag(exchange.call, findDirective(request.body.toString(), request.headers, '').tag);
    return exchange.reply(ask);
  }
  const own = findDirective(ask.text, request.headers, '');
  exchange.call.model = ask.model.name;
  world.truth.tag(exchange.call, own.tag);
  const { key, tag } = exchange.call;
  const scripted = world.rules.take({ model: ask.model.name, path: request.path, key, tag });
  const directive = scripted === undefined ? own : withScript(ask, request, scripted);
  await exchange.pause(directive.delayMs + (scripted?.delayMs ?? 0));
  if (exchange.closed) return;
  const failure = scriptedReply(dialect, scripted);
  if (failure !== undefined) return exchange.reply(failure);
  const cached =
    directive.promptCache === 'on' ? world.prompts.read(key, ask.text, ask.inputTokens) : directive.cached;
  const plan = makePlan(ask, { ...directive, cached }, world.clock, dialect.newAnswerId());
  recordPlan(exchange, plan);
  if (await takeOver(exchange, dialect, plan)) return;
  return ask.stream === 'stream'
    ? sendStream(world, exchange, dialect, { plan, request })
    : sendPlain(exchange, dialect, plan);
}

function withScript(ask: Ask, request: VendorRequest, scripted: ScriptedAnswer): Directive {
  const fault = scripted.fault === undefined ? '' : `fault=${scripted.fault}`;
  return findDirective(ask.text, request.headers, `${scripted.directive ?? ''} ${fault}`);
}

function scriptedReply(dialect: Dialect, scripted: ScriptedAnswer | undefined): Reply | undefined {
  if (scripted?.status === undefined) return undefined;
  const made = dialect.failure(scripted.status, scripted.message ?? `Simulated status ${scripted.status}.`);
  return {
    ...made,
    headers: { ...made.headers, ...scripted.headers },
    body: scripted.body ?? made.body,
  };
}

function recordPlan(exchange: Exchange, plan: Plan): void {
  const { call } = exchange;
  call.stream = plan.ask.stream;
  call.inputTokens = plan.counts.input;
  call.cacheRead = plan.counts.cacheRead;
  call.cacheWrite = plan.counts.cacheWrite;
  call.plannedOutputTokens = plan.counts.output;
  call.said = saidBy(plan);
  call.responseId = plan.id;
}

async function sendStream(
  world: World,
  exchange: Exchange,
  dialect: Dialect,
  { plan, request }: { readonly plan: Plan; readonly request: VendorRequest },
): Promise<void> {
  const framing = request.wire?.framing ?? dialect.framing(request);
  const { steps, headers, encoder, ...rest } = applyFaults(plan, dialect, dialect.frames(plan));
  exchange.call.status = 200;
  exchange.response.writeHead(200, {
    ...dialect.headers(plan),
    'content-type': framing.contentType,
    'cache-control': 'no-cache',
    ...headers,
  });
  const paceMs = plan.directive.paceMs ?? world.paceMs;
  const { thinkMs } = plan.directive;
  const wired = request.wire?.encoder ?? encoder;
  await sendSteps({ exchange, framing, paceMs, thinkMs, encoder: wired, ...rest }, steps);
}

async function sendPlain(exchange: Exchange, dialect: Dialect, plan: Plan): Promise<void> {
  const { call } = exchange;
  // A plain answer is generated as a whole before its first byte.
  call.outputTokens = plan.counts.output;
  call.reasoningTokens = plan.counts.reasoning;
  call.images = plan.ask.images;
  // The sibling of an error in the middle of a stream: all of the answer was made, and none of it is sent.
  if (plan.directive.faults.some(({ name }) => name === 'error-event')) {
    return exchange.reply(dialect.failure(500, 'Simulated failure behind the last token.'));
  }
  const body = arrangeUsage(plan.directive.usage, dialect.plain(plan));
  const headers = dialect.headers(plan);
  const faulty = plainSteps(plan, body);
  if (faulty === undefined) return exchange.reply({ kind: 'reply', status: 200, headers, body });
  const { encoder, writePaceMs, headers: more } = applyFaults(plan, dialect, []);
  call.status = 200;
  exchange.response.writeHead(200, { ...headers, ...more });
  await sendSteps({ exchange, framing: WHOLE_BODY, encoder, paceMs: 0, thinkMs: 0, writePaceMs }, faulty);
}

/** Nothing when the client went away, or sent more than anybody may. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > REQUEST_BODY_BYTES_MAX) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}
