import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../accounts/contract.ts';
import type { Job } from '../../jobs/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { answerHeaders, downloadHeaders } from '../../upstream/answer-headers.ts';
import type { UpstreamHead } from '../../upstream/contract.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { endAnswer, modelHeaders, ownHeaders, totalBytes } from '../answer/answer.ts';
import type { FoundObject } from '../endpoints/find.ts';
import { unknown } from '../endpoints/stored-answer.ts';
import type { Gateway } from '../gateway.ts';

/** A request about what an account has: models, responses, conversations, jobs, files. It is not a call. */
export interface JobRequest {
  readonly asked: FoundObject;
  /** Also the source of new ids. */
  readonly requestId: string;
  readonly nowMs: number;
  readonly caller: Caller;
  /** In whose form errors are. */
  readonly protocol: Protocol;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly request: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  readonly gateway: Gateway;
}

/** `undefined`: the client has its answer. */
export type JobRequestEnd = Refusal | undefined;

/** What an answer is about: the account's object, and whose credential has it. */
export type Owned = Pick<Job, 'model' | 'own'>;

const ID_CHARS_MAX = 100;

/** The id of a client for a message. */
export function showId(id: string): string {
  return id.toWellFormed().slice(0, ID_CHARS_MAX);
}

/** The same for a video of another account as for one that never was. */
export function refuseVideo(id: string): Refusal {
  return unknown(`Video with id '${showId(id)}' not found.`);
}

/** What the gateway says about an answer, beside the vendor's headers. */
function aboutJob({ requestId, protocol }: JobRequest, { model }: Owned): string[] {
  return [...ownHeaders(requestId, protocol), ...modelHeaders(model)];
}

/** The headers of content. */
export function contentHeaders(request: JobRequest, job: Owned, { headers }: UpstreamHead): string[] {
  return [...downloadHeaders(headers), ...aboutJob(request, job)];
}

/** Passes an answer of the vendor on, with its status. */
export function sendAnswer(
  request: JobRequest,
  job: Owned,
  { head, pieces }: { readonly head: UpstreamHead; readonly pieces: readonly Buffer[] },
): void {
  const { status } = head;
  const headers = [...answerHeaders(head.headers), ...aboutJob(request, job)];
  headers.push('content-length', String(totalBytes(pieces)));
  // Rule I-43: every 429 has a Retry-After, even if the vendor's has none.
  if (status === 429 && head.headers['retry-after'] === undefined) headers.push('retry-after', '1');
  request.response.writeHead(status, headers);
  endAnswer(request.response, pieces);
}

/** Any answer but a good one. An error of the vendor passes as it is, unless it is about our credential. */
export function endWithoutAnswer(request: JobRequest, job: Owned, reply: AskReply): JobRequestEnd {
  if (reply.kind === 'failed') {
    const isLate = reply.reason === 'timeout' || reply.reason === 'idle';
    return refuse(isLate ? 'upstreamTimeout' : 'upstreamBroken');
  }
  const { head, body } = reply;
  const isOurs = (head.status === 401 || head.status === 403) && !job.own;
  if (head.status < 400 || isOurs) return refuse('upstreamBroken');
  sendAnswer(request, job, { head, pieces: [body] });
  return undefined;
}
