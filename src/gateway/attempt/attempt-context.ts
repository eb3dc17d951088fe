import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import type { Conversations } from '../../conversation/contract.ts';
import type { Gate, GateRefused } from '../../gate/contract.ts';
import type { FileStore, JobStore, UploadStore } from '../../jobs/contract.ts';
import type { Semaphore } from '../../kernel/async/semaphore.ts';
import type { Tasks } from '../../kernel/async/task.ts';
import type { Refusal } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import type { Journal, Outcome } from '../../ledger/contract.ts';
import type { Dialect, PlainAnswer, RawRequest, RequestFacts, StreamUsage } from '../../protocol/dialect.ts';
import { countsSeconds } from '../../protocol/transcriptions/usage.ts';
import type { MediaFetcher, UpstreamClient, UpstreamTimeouts } from '../../upstream/contract.ts';
import type { Health } from '../../upstream/health/health.ts';
import type { Reservation } from '../../upstream/health/shared-limits.ts';
import { expectUsage, type PricingContext, priceSnapshot } from '../admit/quote.ts';
import type { RetryBudget } from '../admit/route.ts';
import type { Call } from '../call.ts';
import type { Translation } from '../convert/translation.ts';
import type { ObjectId } from '../endpoints/contract.ts';
import type { RecentJobs } from '../jobs/recent-jobs.ts';
import { type Settlement, settleCall, settleInTurn } from '../settle/settle.ts';
import type { InFlight } from './in-flight.ts';

/** The parts of the process that serve calls. All contexts share them. */
export interface GatewayDeps {
  readonly client: UpstreamClient;
  readonly health: Health;
  readonly retryBudget: RetryBudget;
  readonly inFlight: InFlight;
  readonly bodies: BodyBudget;
  readonly conversations: Conversations;
  readonly jobs: JobStore;
  readonly files: FileStore;
  readonly uploads: UploadStore;
  readonly media: MediaFetcher;
  readonly settlement: Settlement;
  readonly gate: Gate;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tasks: Tasks;
  readonly streamTimeouts: UpstreamTimeouts;
  /**
   * Different from a stream's timeouts: the first byte of a plain answer comes only when all of it is
   * produced.
   */
  readonly plainTimeouts: UpstreamTimeouts;
  readonly observer: AttemptObserver;
  readonly recentJobs: RecentJobs;
  /** Requests about jobs, which are not calls. */
  readonly jobRequests: Semaphore;
}

/**
 * Limits the bytes of whole bodies in memory: requests, and answers that are not streamed. Each account has a
 * share.
 */
export interface BodyBudget {
  /** False: nothing was reserved. */
  take(accountId: number, bytes: number): boolean;
  give(accountId: number, bytes: number): void;
}

export interface AttemptObserver {
  attemptEnded(route: Route, outcome: string): void;
  gateRefused(reason: GateRefused['reason']): void;
  /** A request that is no call was answered. */
  endpointServed(endpoint: ObjectId, status: number): void;
}

/** One admitted call on its way to a vendor and back. */
export interface AttemptContext {
  readonly call: Call;
  readonly model: Model;
  readonly catalog: CatalogSnapshot;
  readonly pricing: PricingContext;
  readonly raw: RawRequest;
  /** The estimate of the input changes when media are fetched for a conversion (fetched-input.ts). */
  facts: RequestFacts;
  /** The tokens that were added for fetched media. */
  fetchedTokens: number;
  /**
   * Takes a new hold for changed facts, with the payment of the option. If it is refused, the old hold stays.
   */
  readonly holdFor: (facts: RequestFacts) => Refusal | undefined | Promise<Refusal | undefined>;
  readonly dialect: Dialect;
  readonly response: ServerResponse;
  /** Request headers of the client; the vendor gets those on its allow-list. */
  readonly headers: IncomingHttpHeaders;
  /**
   * The most the call may cost, micro-Credits: while it is held in full, a stream need not be watched
   * closely.
   */
  wantMicro: bigint;
  /** By how much the hold of a stream grows when it is used up, in micro-Credits. */
  shareMicro: bigint;
  /** A place in the limits of the first route's credential, asked for when the call entered the gate. */
  reservation?: Reservation | undefined;
  readonly deps: GatewayDeps;
}

/** Input tokens for the limits of a credential. Vendors count the tokens of batches apart. */
export function limitedTokens({ endpoint }: Call, tokens: number): number {
  return endpoint.action === 'batch' ? 0 : tokens;
}

/** Settles the call. A running attempt ends with it, so that the record contains every attempt. */
export function settleAttempt(context: AttemptContext, outcome: Outcome, attemptOutcome: string): void {
  if (context.call.settled) return;
  endAttempt(context, attemptOutcome);
  settleCall(context.call, outcome, context.deps.settlement);
}

/** The same for callers that answer at the end of the turn and flush the journal before that. */
export function settleAttemptInTurn(context: AttemptContext, outcome: Outcome, attemptOutcome: string): void {
  if (context.call.settled) return;
  endAttempt(context, attemptOutcome);
  settleInTurn(context.call, outcome, context.deps.settlement);
}

export function beginAttempt(context: AttemptContext, route: Route, translation: Translation): void {
  const { call, model, facts, pricing, deps } = context;
  call.route = route;
  call.protocolOut = translation.protocol;
  call.dropped = translation.dropped;
  call.modelUsed = model.modelId;
  call.price = priceSnapshot(route, pricing);
  call.expected = expectUsage(facts, route, { model, outputLimit: translation.outputLimit });
  call.attemptStartedAt = deps.clock.monotonic();
  call.headAt = undefined;
  call.trace?.attemptBegan(route, translation.protocol);
}

export function endAttempt({ call, deps }: AttemptContext, outcome: string): void {
  const { route, attemptStartedAt, headAt, startedAt } = call;
  if (route === undefined || attemptStartedAt === undefined) return;
  call.attemptStartedAt = undefined;
  call.attempts.push({
    routeId: route.id,
    vendor: route.vendor.code,
    credential: route.credential.name,
    own: isOwn(route),
    outcome,
    durationMs: Math.round(deps.clock.monotonic() - attemptStartedAt),
    startMs: Math.round(attemptStartedAt - startedAt),
    headMs: headAt === undefined ? undefined : Math.round(headAt - startedAt),
  });
  call.trace?.attemptEnded(outcome);
  deps.observer.attemptEnded(route, outcome);
}

/** `undefined` for the platform's credentials. */
export function isOwn({ credential }: Route): true | undefined {
  return credential.ownerAccountId === undefined ? undefined : true;
}

export function attemptCount({ attempts, attemptStartedAt }: Call): number {
  return attempts.length + (attemptStartedAt === undefined ? 0 : 1);
}

/** Counts the input if the vendor did not report it: once, with the tokenizer, and only when it is needed. */
export function completeUsage(
  context: AttemptContext,
  seen: StreamUsage,
): { usage: Usage; estimated: boolean } {
  if (seen.inputReported) return { usage: seen.usage, estimated: seen.estimated };
  return { usage: { ...seen.usage, inputFresh: countedInput(context) }, estimated: true };
}

/** The same without the tokenizer. For marks, which are read only after a crash. */
export function likelyInput({ call, facts }: AttemptContext): number {
  return secondsInstead(call, facts) ?? facts.inputTokensLikely ?? facts.inputTokensEstimate;
}

/** A vendor that counts seconds counts nothing else (rule M-31). */
function secondsInstead({ route }: Call, { secondsLikely }: RequestFacts): number | undefined {
  return route !== undefined && countsSeconds(route.forwardModelId) ? secondsLikely : undefined;
}

/**
 * The search units of a reranking that the vendor did not report. They count only where they have a price and
 * the input has none (rule M-28).
 */
export function unreportedUnits({ call, facts }: AttemptContext): number {
  const { unitsLikely = 0 } = facts;
  const prices = call.price?.prices;
  return prices?.inputMicro === 0n && prices.outputMicro > 0n ? unitsLikely : 0;
}

/** What is charged of a plain answer without a report, besides its images. */
export function countedUsage(context: AttemptContext, outputTokens: number): Usage {
  const outputText = outputTokens + unreportedUnits(context);
  return { ...NO_USAGE, inputFresh: countedInput(context), outputText };
}

/** What is charged of an answer without a report; of a new batch, the most that it may use, which is held. */
export function unreportedUsage(
  context: AttemptContext,
  { jobId, images, outputTokens }: Pick<PlainAnswer, 'jobId' | 'images' | 'outputTokens'>,
): Usage {
  const { facts } = context;
  if (facts.job === undefined) {
    return { ...countedUsage(context, outputTokens()), images: images ?? facts.images };
  }
  if (jobId === undefined) return NO_USAGE;
  return { ...NO_USAGE, inputFresh: facts.inputTokensEstimate, outputText: facts.outputTokensMax ?? 0 };
}

/** A larger request gets the cheap estimate: tokenizing it in one turn would block all other calls. */
export function countedInput({ call, raw, facts, dialect }: AttemptContext): number {
  const isLarge = raw.body.length > READ_AGAIN_BYTES_MAX;
  call.countedInput ??=
    secondsInstead(call, facts) ??
    (isLarge ? (facts.inputTokensLikely ?? facts.inputTokensEstimate) : dialect.countInput(raw, facts));
  return call.countedInput;
}
