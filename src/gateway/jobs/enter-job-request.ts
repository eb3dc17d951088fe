import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { newCallId } from '../../kernel/id.ts';
import { refuseWithoutPayer } from '../admit/before-body.ts';
import { identify, refuseIfAway, WAIT_MS } from '../admit/identify.ts';
import { sendRefusal } from '../answer/answer.ts';
import type { Gateway } from '../gateway.ts';
import { JOB_REQUEST_SLOTS } from './bounds.ts';
import type { JobRequest, JobRequestEnd } from './job-request.ts';

interface ArrivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gateway: Gateway;
  readonly about: Pick<JobRequest, 'protocol' | 'query'>;
  /** The request uploads something, so it needs a payer. `discard` takes its body, which was not read. */
  readonly upload?: { discard(): void };
}

/** Finds out who asks, and serves a bounded number of such requests at once, of one account and of all. */
export async function enterJobRequest(
  { request, response, gateway, about, upload }: ArrivedRequest,
  serve: (entered: JobRequest) => Promise<JobRequestEnd>,
): Promise<void> {
  const nowMs = gateway.deps.clock.now();
  const requestId = newCallId(nowMs);
  const found = await identify(request, gateway, nowMs);
  const unpaid = isRefusal(found) || upload === undefined ? undefined : refuseWithoutPayer(found, gateway);
  const caller = unpaid ?? found;
  const { headers } = request;
  const end = isRefusal(caller)
    ? caller
    : await admit({ ...about, requestId, caller, headers, response, gateway }, serve).catch(refuseIfAway);
  upload?.discard();
  if (end !== undefined) sendRefusal(response, end, requestId, about.protocol);
}

async function admit(
  entered: JobRequest,
  serve: (entered: JobRequest) => Promise<JobRequestEnd>,
): Promise<JobRequestEnd> {
  const leave = await entered.gateway.deps.jobRequests.enter(entered.caller.account.id);
  if (leave === undefined) return refuseMany();
  try {
    return await serve(entered);
  } finally {
    leave();
  }
}

/** Rule I-45: every 429 names its limit. */
function refuseMany(): Refusal {
  const { activeOfOne } = JOB_REQUEST_SLOTS;
  const limit = `concurrency; limit=${activeOfOne}; used=${activeOfOne}; window=0; reset=1; scope=account`;
  return refuse('concurrencyExceeded', { retryAfterMs: WAIT_MS, limit });
}
