import type { IncomingMessage, ServerResponse } from 'node:http';
import { StoreUnavailable } from '../accounts/contract.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import { newCallId } from '../kernel/id.ts';
import { NO_USAGE } from '../kernel/usage.ts';
import type { Outcome } from '../ledger/contract.ts';
import type { RawRequest } from '../protocol/dialect.ts';
import { refuseBeforeBody } from './admit/before-body.ts';
import { defaultModel } from './admit/default-model.ts';
import { identify, WAIT_MS } from './admit/identify.ts';
import { checkMediaType } from './admit/media-type.ts';
import { nameModel } from './admit/no-upstream.ts';
import { compactionFacts } from './admit/quote.ts';
import { sendRefusal } from './answer/answer.ts';
import { resetAfter } from './answer/reset.ts';
import { runInBackground } from './background/background.ts';
import { isFileBatch, loadBatch } from './batches/load-batch.ts';
import { type Call, CLIENT_CLOSED, newCall } from './call.ts';
import { CallRunner, type Received } from './call-runner.ts';
import { callDialect } from './convert/call-dialect.ts';
import { loadConversation } from './convert/conversation-load.ts';
import type { Endpoint } from './endpoints/find.ts';
import type { Gateway } from './gateway.ts';
import { refuseMoreJobs } from './jobs/refuse-more-jobs.ts';
import { settleCall } from './settle/settle.ts';

const CLIENT_LEFT: Outcome = {
  status: CLIENT_CLOSED,
  errorCode: null,
  verdict: 'cut-by-client',
  usage: NO_USAGE,
  estimated: false,
};

/** Serves one call, in the order of rule S-15. Each stage is a file of its own below this folder. */
export async function serveCall(
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: Endpoint,
  gateway: Gateway,
): Promise<void> {
  const { clock } = gateway.deps;
  const startedAt = clock.monotonic();
  const createdAtMs = clock.now();
  const id = newCallId(createdAtMs);
  // Awaits only a promise: most calls pass the gate without leaving this turn.
  const identified = identify(request, gateway, createdAtMs);
  const caller = identified instanceof Promise ? await identified : identified;
  if (isRefusal(caller)) {
    gateway.discardBody(request, response);
    sendRefusal(response, caller, id, endpoint.protocol);
    return;
  }
  const call = newCall({ id, createdAtMs, startedAt, endpoint, caller });
  if (gateway.tracer !== undefined) call.trace = gateway.tracer.begin(call, request.headers);
  try {
    const refusal = await processCall(call, request, response, gateway);
    if (refusal !== undefined) endRefused(call, response, refusal, gateway);
  } catch (error) {
    endFailed(call, response, error, gateway);
  }
}

async function processCall(
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
  gateway: Gateway,
): Promise<Refusal | undefined> {
  const checking = refuseBeforeBody(call, request.headers, gateway);
  const early =
    (checking instanceof Promise ? await checking : checking) ??
    checkMediaType(call.endpoint, request.headers['content-type']);
  if (early !== undefined) {
    gateway.discardBody(request, response);
    return early;
  }
  const body = await gateway.readBody(request, call.caller.account.id, response);
  if (isRefusal(body)) return body;
  if (body.kind === 'aborted') {
    settleCall(call, CLIENT_LEFT, gateway.deps.settlement);
    return undefined;
  }
  try {
    const contentType = request.headers['content-type'] ?? '';
    const { path, protocol } = call.endpoint;
    const fallback = defaultModel(protocol, gateway.directory.catalog());
    const raw: RawRequest = { body: body.bytes, contentType, path, defaultModel: fallback };
    const { headers } = request;
    if (isFileBatch(call.endpoint)) {
      const batch = await loadBatch(call, raw, gateway.deps);
      return isRefusal(batch) ? batch : await runCall(call, { raw, ...batch, response, headers }, gateway);
    }
    const reading = callDialect(call.endpoint).readRequest(raw);
    const facts = reading instanceof Promise ? await reading : reading;
    if (isRefusal(facts)) return facts;
    const received = { raw, facts, response, headers };
    if (facts.memory === undefined) return await runCall(call, received, gateway);
    if (facts.memory.background.length === 0) return await loadAndRunCall(call, received, gateway);
    return await runInBackground(call, received, {
      ...{ request, gateway, run: (detached) => loadAndRunCall(call, detached, gateway) },
      settle: (end, { response: nobody }) => {
        if ('refusal' in end) endRefused(call, nobody, end.refusal, gateway);
        else endFailed(call, nobody, end.error, gateway);
      },
    });
  } finally {
    body.release();
  }
}

/** Responses: adds the stored parts of the conversation that the client left out of its request. */
async function loadAndRunCall(
  call: Call,
  received: Received,
  gateway: Gateway,
): Promise<Refusal | undefined> {
  const loading = loadConversation(call, received, gateway.deps);
  const loaded = loading instanceof Promise ? await loading : loading;
  if (isRefusal(loaded)) return loaded;
  try {
    return await runCall(call, { ...received, raw: loaded.raw, facts: loaded.facts }, gateway);
  } finally {
    loaded.release();
  }
}

function runCall(call: Call, request: Received, gateway: Gateway): Promise<Refusal | undefined> {
  const isCompaction = call.endpoint.action === 'compact';
  const received = isCompaction ? { ...request, facts: compactionFacts(request.facts) } : request;
  const { model, stream, images } = received.facts;
  call.modelAsked = model;
  call.modelUsed = model;
  call.stream = stream;
  call.images = images;
  const runner = new CallRunner(call, received, gateway);
  if (received.facts.job === undefined) return runner.run();
  return refuseMoreJobs(call, gateway.deps).then((refusal) => refusal ?? runner.run());
}

/** The call was refused after authentication: it is logged, but never charged. */
function endRefused(call: Call, response: ServerResponse, refusal: Refusal, { deps }: Gateway): void {
  const { status, code } = refusal.error;
  const named = nameModel(refusal, call.modelAsked);
  call.refusal = named;
  settleCall(
    call,
    { status, errorCode: code, verdict: 'refused', usage: NO_USAGE, estimated: false },
    deps.settlement,
  );
  sendRefusal(response, named, call.id, call.endpoint.protocol);
}

/** An error in our code. The client gets only the request id; the log has the details. */
function endFailed(call: Call, response: ServerResponse, error: unknown, { deps }: Gateway): void {
  deps.log.error({ requestId: call.id, err: error }, 'call failed');
  // An unwritable journal is not the fault of this call, and the next call may succeed.
  const isStoreAway = error instanceof StoreUnavailable;
  const refusal = isStoreAway ? refuse('unavailable', { retryAfterMs: WAIT_MS }) : refuse('internal');
  const { status, code } = refusal.error;
  const outcome: Outcome = {
    status,
    errorCode: code,
    verdict: 'failed',
    usage: NO_USAGE,
    estimated: false,
  };
  call.refusal = refusal;
  if (!call.settled) settleCall(call, outcome, deps.settlement);
  if (response.headersSent) resetAfter(response, undefined);
  else sendRefusal(response, refusal, call.id, call.endpoint.protocol);
}
