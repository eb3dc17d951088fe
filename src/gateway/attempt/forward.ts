import type { Route } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { NO_USAGE, totalTokens } from '../../kernel/usage.ts';
import type { CallTerms, Outcome, RoutedTerms } from '../../ledger/contract.ts';
import { answerHeaders } from '../../upstream/answer-headers.ts';
import type { Ticket } from '../../upstream/health/health.ts';
import { addressVendor } from '../../upstream/vendor.ts';
import { classify } from '../admit/route.ts';
import { modelHeaders, ownHeaders, sendRefusal } from '../answer/answer.ts';
import type { StreamTimes } from '../answer/stream-watch.ts';
import { CLIENT_CLOSED, toCallTerms } from '../call.ts';
import { saveAnswer } from '../convert/conversation-save.ts';
import { translate } from '../convert/translate.ts';
import type { Translation } from '../convert/translation.ts';
import { RouteAttempt } from './attempt.ts';
import {
  type AttemptContext,
  attemptCount,
  beginAttempt,
  endAttempt,
  isOwn,
  limitedTokens,
  settleAttempt,
} from './attempt-context.ts';
import { type AttemptResult, NOTHING_SPENT, type Spent, type VendorError } from './attempt-result.ts';
import type { AttemptWatch } from './attempt-watch.ts';
import { isOwnDoing, lastVendorError, type RouteFailures, refusalFor } from './route-failures.ts';
import { isSignatureRefused } from './vendor-error.ts';

const LIMITED: AttemptResult = {
  kind: 'route-failed',
  failure: { outcome: 'at-limit', kind: 'limited', error: undefined },
};

/** The client closed its connection before anything was sent to the vendor. */
const LEFT: AttemptResult = { kind: 'answered', outcome: 'cut-by-client' };

/** `answered`: the client has an answer, or has left. `stopped`: this process cannot try anything else. */
export type ForwardEnd = 'answered' | 'failed' | 'stopped';

export interface ForwardPlan {
  readonly times: StreamTimes;
  readonly routeFailures: RouteFailures;
  /** Whether a retry needs a place in the retry budget. */
  readonly limitsRetries: () => boolean;
}

/**
 * Tries the routes of one option in turn until one answers. If all fail, the client is not answered yet:
 * `routeFailures` has the reasons, and there may be another option.
 */
export async function forward(
  context: AttemptContext,
  routes: readonly Route[],
  { times, routeFailures, limitsRetries }: ForwardPlan,
): Promise<ForwardEnd> {
  const { call, response, deps } = context;
  let failed = 0;
  for (const route of routes) {
    if (response.closed) break;
    const chosen = translate(context, route, 'own');
    const translation = chosen instanceof Promise ? await chosen : chosen;
    // Fetching media and stored signatures takes time: no vendor is asked for a client that has left
    // meanwhile.
    if (response.closed) break;
    if (isRefusal(translation)) {
      context.reservation?.cancel();
      routeFailures.refusal ??= translation;
      continue;
    }
    // Retries must not make an outage worse: beyond the budget the first failure is the answer. The first
    // route of an option is not a retry: another option is what the account configured for this case.
    const budgeted = failed > 0 && deps.retryBudget.take(deps.gate.active);
    if (failed > 0 && !budgeted && limitsRetries()) break;
    const trial = { times, translation };
    let result = budgeted ? await retryRoute(context, route, trial) : await tryRoute(context, route, trial);
    if (result.kind === 'rejected' && isSignatureRefused(result.error)) {
      result = (await tryWithoutSignatures(context, route, trial)) ?? result;
    }
    if (call.settled) return 'answered';
    if (result.kind === 'route-failed') {
      // If a credential's limits left no slot, no vendor was asked, so the next route is not a retry.
      if (result.failure.kind !== 'limited') failed += 1;
      routeFailures.failures.push({ route, failure: result.failure });
      if (result.failure.kind === 'stopped') return response.closed ? endAbandoned(context) : 'stopped';
    } else if (result.kind === 'rejected' && !response.closed) {
      // Rule S-28: a fallback model's objection to the request is not an answer for another requested model.
      if (context.model.modelId !== call.modelAsked) return 'failed';
      passOn(context, result.error, result.spent);
      return 'answered';
    }
  }
  return response.closed ? endAbandoned(context) : 'failed';
}

interface Trial {
  readonly times: StreamTimes;
  readonly translation: Translation;
}

async function retryRoute(context: AttemptContext, route: Route, trial: Trial): Promise<AttemptResult> {
  try {
    return await tryRoute(context, route, trial);
  } finally {
    context.deps.retryBudget.release();
  }
}

/**
 * Rule C-44: the vendor does not recognise a signature of the history as its own. The same route is tried
 * once more without signatures; no other vendor would recognise them either. `undefined` if there were none
 * to remove: a vendor may quote a client that only writes about signatures.
 */
async function tryWithoutSignatures(
  context: AttemptContext,
  route: Route,
  { times, translation: refused }: Trial,
): Promise<AttemptResult | undefined> {
  if (context.response.closed) return undefined;
  const translation = await translate(context, route, 'none');
  if (isRefusal(translation) || context.response.closed) return undefined;
  if (Buffer.concat(translation.body).equals(Buffer.concat(refused.body))) return undefined;
  return tryRoute(context, route, { times, translation });
}

async function tryRoute(context: AttemptContext, route: Route, trial: Trial): Promise<AttemptResult> {
  const { call, deps } = context;
  const { times } = trial;
  const translation = saveAnswer(context, trial.translation);
  const inputTokens = limitedTokens(call, context.facts.inputTokensEstimate);
  const begun = deps.health.begin(route, inputTokens, context.reservation);
  const ticket = begun instanceof Promise ? await begun : begun;
  // Other calls took the last slot of the credential's own limits since the routes were chosen.
  if (ticket === undefined) return LIMITED;
  beginAttempt(context, route, translation);
  try {
    await openInJournal(context, route);
    const result = context.response.closed
      ? LEFT
      : await send(context, route, { times, ticket, translation });
    endAttempt(context, toAttemptOutcome(result));
    report(ticket, result);
    return result;
  } finally {
    ticket.end(limitedTokens(call, totalTokens(call.usage)));
  }
}

/**
 * Reports the attempt to the health of its route. Errors of the client, or its leaving, do not count against
 * it.
 */
function report(ticket: Ticket, result: AttemptResult): void {
  if (result.kind === 'rejected') ticket.report('client-error');
  else if (result.kind === 'answered') {
    if (result.outcome === 'ok') ticket.report('success');
    else if (result.outcome === 'cut-by-upstream') ticket.report('failure');
  } else {
    const { error, kind } = result.failure;
    if (error !== undefined) ticket.report(classify(error.status), error);
    else if (kind !== 'misfit' && !isOwnDoing(kind)) ticket.report('failure');
  }
}

function send(context: AttemptContext, route: Route, watch: AttemptWatch): Promise<AttemptResult> {
  const { call, facts, deps } = context;
  const { protocol, action, clientHeaders, contentType, query, body } = watch.translation;
  const settle = Promise.withResolvers<AttemptResult>();
  const attempt = new RouteAttempt(context, route, watch, settle);
  const address = addressVendor({ route, protocol, action, clientHeaders, contentType, query });
  call.trace?.passOn(address.headers);
  const timeouts = facts.stream ? deps.streamTimeouts : deps.plainTimeouts;
  attempt.attach(deps.client.send({ ...address, method: 'POST', body, timeouts }, attempt));
  return settle.promise;
}

/** Rule M-20: the operating system has the open record before the first byte goes upstream. */
function openInJournal({ call, facts, deps }: AttemptContext, route: Route): Promise<void> {
  const terms = toCallTerms(call, deps.settlement.creditsPerYuan);
  assert(isRouted(terms), 'an attempt has a route and a price');
  return deps.journal.open({
    ...terms,
    credential: route.credential.name,
    own: isOwn(route),
    inputTokens: facts.inputTokensEstimate,
    images: facts.images,
    outputTokensMax: call.expected?.outputTokens,
  });
}

function isRouted(terms: CallTerms): terms is RoutedTerms {
  const { routeId, vendor, protocolOut, price } = terms;
  return routeId !== null && vendor !== null && protocolOut !== null && price !== null;
}

function toAttemptOutcome(result: AttemptResult): string {
  if (result.kind === 'answered') return result.outcome;
  return result.kind === 'rejected' ? String(result.error.status) : result.failure.outcome;
}

/**
 * Answers when every route has failed. A vendor's error is passed on, the newest first. Without one, the
 * client gets an error for "no vendor reachable" or "no answer in time".
 */
export function answerFailures(context: AttemptContext, { failures }: RouteFailures): void {
  const error = lastVendorError(failures);
  if (error !== undefined) {
    passOn(context, error, NOTHING_SPENT);
    return;
  }
  const refusal = refusalFor(failures, context.deps.health);
  context.call.refusal = refusal;
  settleAttempt(context, ended(refusal.error.status, refusal.error.code), 'failed');
  sendRefusal(context.response, refusal, context.call.id, context.call.endpoint.protocol);
}

/** Passes a vendor's error on, with status and body unchanged. */
function passOn(context: AttemptContext, error: VendorError, spent: Spent): void {
  const { call, response, model } = context;
  const { protocol } = call.endpoint;
  settleAttempt(context, { ...ended(error.status, null), ...spent }, String(error.status));
  const headers = [
    'content-length',
    String(error.body.length),
    ...answerHeaders(error.headers),
    ...ownHeaders(call.id, protocol),
    ...modelHeaders(model.modelId),
    'x-tollgate-attempts',
    String(attemptCount(call)),
  ];
  // Rule I-43: every 429 has a Retry-After, even if the vendor's has none.
  if (error.status === 429 && error.headers['retry-after'] === undefined) headers.push('retry-after', '1');
  response.writeHead(error.status, headers);
  response.end(error.body);
}

/** The client left while no vendor was at work for it, or before the head of a stream: nothing is charged. */
function endAbandoned(context: AttemptContext): ForwardEnd {
  const outcome = { ...ended(CLIENT_CLOSED, null), verdict: 'cut-by-client' as const };
  settleAttempt(context, outcome, 'cut-by-client');
  return 'answered';
}

function ended(status: number, errorCode: number | null): Outcome {
  return { status, errorCode, verdict: 'failed', usage: NO_USAGE, estimated: false };
}
