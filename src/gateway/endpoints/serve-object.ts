import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { newCallId } from '../../kernel/id.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { refuseWithoutPayer } from '../admit/before-body.ts';
import { enterQuestion } from '../admit/enter-question.ts';
import { identify, refuseIfAway, WAIT_MS } from '../admit/identify.ts';
import { sendRefusal } from '../answer/answer.ts';
import { CLIENT_CLOSED } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { JOB_REQUEST_SLOTS } from '../jobs/bounds.ts';
import type { JobRequest, JobRequestEnd } from '../jobs/job-request.ts';
import { ENDPOINTS, type EndpointRow } from './contract.ts';
import type { FoundObject } from './find.ts';
import { HANDLERS } from './handlers.ts';

/**
 * Serves a request about what an account has. It is not a call: nothing is held or charged. The same steps
 * come before every handler; what differs is in the row.
 */
export async function serveObject(
  request: IncomingMessage,
  response: ServerResponse,
  asked: FoundObject,
  gateway: Gateway,
): Promise<void> {
  const row: EndpointRow = ENDPOINTS[asked.id];
  const nowMs = gateway.deps.clock.now();
  const requestId = newCallId(nowMs);
  if (row.hasBody === undefined) gateway.discardBody(request, response);
  const { headers } = request;
  const protocol = formOf(row, headers);
  const caller = await identify(request, gateway, nowMs);
  const { query } = asked;
  const arrived = { request, response, headers, asked, query, requestId, nowMs, protocol, gateway };
  let end: JobRequestEnd;
  try {
    end = isRefusal(caller) ? caller : await admit({ ...arrived, caller }, row).catch(refuseIfAway);
  } finally {
    // Of a body that is refused, or that is longer than what it says, the rest is read too.
    if (row.hasBody && !request.destroyed) gateway.discardBody(request, response);
  }
  if (end !== undefined) sendRefusal(response, end, requestId, protocol);
  gateway.deps.observer.endpointServed(asked.id, response.headersSent ? response.statusCode : CLIENT_CLOSED);
}

/** In whose form errors are. Anthropic has files and models too, at the paths of OpenAI. */
function formOf({ errors }: EndpointRow, headers: IncomingMessage['headers']): Protocol {
  if (errors !== undefined && errors !== 'by-client') return errors;
  if (headers['anthropic-version'] !== undefined) return 'messages';
  return headers['x-goog-api-key'] === undefined ? 'chat' : 'gemini';
}

async function admit(entered: JobRequest, row: EndpointRow): Promise<JobRequestEnd> {
  const { gateway, caller, nowMs, asked } = entered;
  const unpaid = row.pays === 'payer' ? refuseWithoutPayer(caller, gateway, nowMs) : undefined;
  if (unpaid !== undefined) return unpaid;
  if (row.refusesAnthropic && entered.protocol === 'messages') return NO_FILES_OF_ANTHROPIC;
  if (row.isUnlimited) return HANDLERS[asked.id](entered);
  const question = await enterQuestion('ask', { id: entered.requestId, ...entered }, gateway);
  if (isRefusal(question)) return question;
  try {
    const leave = await gateway.deps.jobRequests.enter(caller.account.id);
    if (leave === undefined) return refuseMany();
    try {
      return await HANDLERS[asked.id]({ ...entered, caller: question.caller });
    } finally {
      leave();
    }
  } finally {
    await question.leave();
  }
}

const NO_FILES_OF_ANTHROPIC = refuse('notExpressible', {
  message: 'The files of Anthropic are not served: send their content within the message',
  vendorFields: { type: 'invalid_request_error', param: null, code: String(ERRORS.notExpressible.code) },
});

/** Rule I-45: every 429 names its limit. */
function refuseMany(): Refusal {
  const { activeOfOne } = JOB_REQUEST_SLOTS;
  const limit = `concurrency; limit=${activeOfOne}; used=${activeOfOne}; window=0; reset=1; scope=account`;
  return refuse('concurrencyExceeded', { retryAfterMs: WAIT_MS, limit });
}
