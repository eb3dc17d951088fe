import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '../../accounts/contract.ts';
import type { Job } from '../../jobs/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { answerHeaders } from '../../upstream/answer-headers.ts';
import type { UpstreamHead } from '../../upstream/contract.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { endAnswer, modelHeaders, ownHeaders, totalBytes } from '../answer/answer.ts';
import { unknown } from '../endpoints/stored-answer.ts';
import type { Gateway } from '../gateway.ts';
import type { VideosEndpoint } from './videos-endpoint.ts';

/** A request about videos of an account. */
export interface VideoRequest {
  readonly requestId: string;
  readonly caller: Caller;
  readonly endpoint: VideosEndpoint;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  readonly gateway: Gateway;
}

/** `undefined`: the client has its answer. */
export type VideoEnd = Refusal | undefined;

const ID_CHARS_MAX = 100;

/** The same for a video of another account as for one that never was. */
export function refuseVideo(id: string): Refusal {
  return unknown(`Video with id '${id.toWellFormed().slice(0, ID_CHARS_MAX)}' not found.`);
}

/** The vendor's headers that the client may see, and ours. */
export function videoHeaders(
  { requestId }: VideoRequest,
  { model }: Job,
  { headers }: UpstreamHead,
): string[] {
  return [...answerHeaders(headers), ...ownHeaders(requestId, 'videos'), ...modelHeaders(model)];
}

/** Passes an answer of the vendor on, with its status. */
export function sendAnswer(
  request: VideoRequest,
  job: Job,
  { head, pieces }: { readonly head: UpstreamHead; readonly pieces: readonly Buffer[] },
): void {
  const { status } = head;
  const headers = [...videoHeaders(request, job, head), 'content-length', String(totalBytes(pieces))];
  // Rule I-43: every 429 has a Retry-After, even if the vendor's has none.
  if (status === 429 && head.headers['retry-after'] === undefined) headers.push('retry-after', '1');
  request.response.writeHead(status, headers);
  endAnswer(request.response, pieces);
}

/** Any answer but a good one. An error of the vendor passes as it is, unless it is about our credential. */
export function endWithoutAnswer(request: VideoRequest, job: Job, reply: AskReply): VideoEnd {
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
