import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { admit } from '../../accounts/admit.ts';
import type { Caller } from '../../accounts/contract.ts';
import type { Model, Route } from '../../catalog/contract.ts';
import { ERRORS, isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { newCallId } from '../../kernel/id.ts';
import { returnOwnSignatures } from '../../protocol/convert/convert.ts';
import {
  type CountRequest,
  countBody,
  countLocally,
  isCount,
  readCountRequest,
  writeCount,
} from '../../protocol/pass-through/count.ts';
import { getDialect } from '../../protocol/registry.ts';
import { answerHeaders } from '../../upstream/answer-headers.ts';
import { addressVendor, canCount, VENDOR_JSON } from '../../upstream/vendor.ts';
import { enterQuestion } from '../admit/enter-question.ts';
import { identify, refuseIfAway } from '../admit/identify.ts';
import { checkMediaType } from '../admit/media-type.ts';
import { nameModel } from '../admit/no-upstream.ts';
import { chooseRoutes, classify } from '../admit/route.ts';
import { modelHeaders, ownHeaders, sendRefusal } from '../answer/answer.ts';
import { toTarget } from '../attempt/target.ts';
import { isSignatureRefused, withTrueStatus } from '../attempt/vendor-error.ts';
import { loadConversation } from '../convert/conversation-load.ts';
import type { Gateway } from '../gateway.ts';
import { askVendor } from './count-vendor.ts';
import type { CountEndpoint } from './find.ts';

/** A request to count tokens. */
interface Question {
  readonly id: string;
  readonly nowMs: number;
  readonly endpoint: CountEndpoint;
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

interface Counted {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** `undefined`: the client left. */
type CountAnswer = Counted | Refusal | undefined;

/**
 * Counts tokens (rule I-46): with a vendor that has the client's protocol, else with our tokenizer. It costs
 * nothing, leaves no row in the call log and does not affect a route's health. The policy of calls limits it
 * too, but with separate counters, so that counting does not use up calls.
 */
export async function serveCount(
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: CountEndpoint,
  gateway: Gateway,
): Promise<void> {
  const nowMs = gateway.deps.clock.now();
  const id = newCallId(nowMs);
  const { protocol } = endpoint;
  const { headers } = request;
  const caller = await identify(request, gateway, nowMs);
  if (isRefusal(caller)) {
    gateway.discardBody(request, response);
    sendRefusal(response, caller, id, protocol);
    return;
  }
  const question: Question = { id, nowMs, endpoint, caller, headers, response };
  const answer = await readQuestion(request, question, gateway).catch(refuseIfAway);
  if (isRefusal(answer)) sendRefusal(response, answer, id, protocol);
  else if (answer !== undefined) {
    const own = ['content-length', String(answer.body.length), ...ownHeaders(id, protocol)];
    response.writeHead(answer.status, [...answer.headers, ...own]);
    response.end(answer.body);
  }
}

async function readQuestion(
  request: IncomingMessage,
  question: Question,
  gateway: Gateway,
): Promise<CountAnswer> {
  const { endpoint, headers, response } = question;
  const unsupported = checkMediaType(endpoint, headers['content-type']);
  if (unsupported !== undefined) {
    gateway.discardBody(request, response);
    return unsupported;
  }
  const body = await gateway.readBody(request, question.caller.account.id, response);
  if (isRefusal(body)) return body;
  if (body.kind === 'aborted') return undefined;
  try {
    const raw = { body: body.bytes, contentType: headers['content-type'] ?? '', path: endpoint.path };
    const counting = await readCountRequest(endpoint.protocol, raw);
    if (isRefusal(counting)) return counting;
    // Responses: the stored conversation that a request refers to counts too.
    const loaded = await loadConversation(question, counting, gateway.deps);
    if (isRefusal(loaded)) return loaded;
    try {
      return await passGate({ ...counting, raw: loaded.raw, facts: loaded.facts }, question, gateway);
    } finally {
      loaded.release();
    }
  } finally {
    body.release();
  }
}

async function passGate(counting: CountRequest, question: Question, gateway: Gateway): Promise<CountAnswer> {
  const model = gateway.directory.catalog().models.get(counting.facts.model);
  if (model === undefined || model.status !== 'enabled') {
    return nameModel(refuse('noUpstream'), counting.facts.model);
  }
  const refuses = ({ account }: Caller) => admit(model, account, question.nowMs);
  const entered = await enterQuestion('count', question, gateway, refuses);
  if (isRefusal(entered)) return entered;
  try {
    return await count(counting, model, { ...question, caller: entered.caller }, gateway);
  } finally {
    await entered.leave();
  }
}

async function count(
  counting: CountRequest,
  model: Model,
  question: Question,
  gateway: Gateway,
): Promise<CountAnswer> {
  const { protocol } = question.endpoint;
  const { deps, random } = gateway;
  const { health } = deps;
  const routes = chooseRoutes(model, { protocol, health, random, body: counting.raw.body });
  // Routes that wait for their vendor's limits do not prevent a count of our own.
  if (isRefusal(routes) && routes.error !== ERRORS.unavailable) return routes;
  const usable = isRefusal(routes) ? [] : routes;
  const route = usable.find((one) => one.protocols.includes(protocol) && health.condition(one) === 'ready');
  const counted = route === undefined ? 'unknown' : await askRoute(counting, route, question, gateway);
  if (counted === 'client-gone') return undefined;
  if (counted !== 'unknown')
    return { ...counted, headers: [...counted.headers, ...modelHeaders(model.modelId)] };
  return {
    status: 200,
    headers: [
      ...['content-type', 'application/json; charset=utf-8', 'x-tollgate-estimated', 'true'],
      ...modelHeaders(model.modelId),
    ],
    body: Buffer.from(writeCount(protocol, countLocally(protocol, counting))),
  };
}

/** The vendor's count; `unknown` if it gave none, for whatever reason. */
async function askRoute(
  counting: CountRequest,
  route: Route,
  { endpoint, headers, response }: Question,
  { deps }: Gateway,
): Promise<Counted | 'unknown' | 'client-gone'> {
  const { protocol, query } = endpoint;
  if (!canCount(route, protocol)) return 'unknown';
  const body = await bodyFor(counting, route, endpoint);
  if (isRefusal(body)) return 'unknown';
  const asked = { action: 'count', clientHeaders: headers, contentType: VENDOR_JSON, query } as const;
  const address = addressVendor({ route, protocol, ...asked });
  const reply = await askVendor({ ...address, method: 'POST', body }, response, deps);
  if (reply.kind === 'client-gone') return reply.kind;
  const outcome = reply.kind === 'failed' ? reply.outcome : String(reply.head.status);
  deps.observer.attemptEnded(route, `count-${outcome}`);
  if (reply.kind === 'failed') return 'unknown';
  const { status, headers: vendorHeaders } = reply.head;
  const isAnswer = classify(status) === 'success' && isCount(protocol, reply.body);
  if (!isAnswer && !isAboutRequest({ status, headers: vendorHeaders, body: reply.body })) return 'unknown';
  return {
    status,
    headers: [...answerHeaders(vendorHeaders), 'x-tollgate-route', String(route.id)],
    body: reply.body,
  };
}

/** The client's bytes, with the vendor's model name and without other vendors' signatures. */
async function bodyFor(
  counting: CountRequest,
  route: Route,
  { protocol }: CountEndpoint,
): Promise<readonly Buffer[] | Refusal> {
  const { raw, facts: read } = counting;
  const own = read.holdsEnvelope
    ? await returnOwnSignatures(protocol, raw, toTarget(route, protocol, 'own'))
    : raw;
  if (isRefusal(own)) return own;
  if (own === raw) return countBody(protocol, counting, route.forwardModelId);
  const facts = await getDialect(protocol).readRequest(own);
  return isRefusal(facts)
    ? facts
    : countBody(protocol, { ...counting, raw: own, facts }, route.forwardModelId);
}

/** The statuses that are about the client's request. */
const ABOUT_REQUEST = new Set([400, 413, 422]);

function isAboutRequest(error: Parameters<typeof isSignatureRefused>[0]): boolean {
  return ABOUT_REQUEST.has(withTrueStatus(error).status) && !isSignatureRefused(error);
}
