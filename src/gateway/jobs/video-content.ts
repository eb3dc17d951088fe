import type { Job } from '../../jobs/contract.ts';
import type { UpstreamHead } from '../../upstream/contract.ts';
import { isHeaderValue } from '../../upstream/vendor.ts';
import { wrong } from '../endpoints/stored-answer.ts';
import { addressObject } from './ask-vendor.ts';
import { relayContent } from './content-relay.ts';
import type { JobCredential } from './job-credential.ts';
import { endWithoutAnswer, type JobRequest, type JobRequestEnd } from './job-request.ts';

const VARIANTS: ReadonlySet<string> = new Set(['video', 'thumbnail', 'spritesheet']);
/** Headers of the client that ask for a part of the content. */
const ASKED = ['range', 'if-range'] as const;
/** Headers of the vendor that describe the content. */
const DESCRIBED = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/** The bytes of a video, as they come. Nothing is kept, and nothing is read. */
export async function serveContent(
  request: JobRequest,
  job: Job,
  credential: JobCredential,
): Promise<JobRequestEnd> {
  const variant = new URLSearchParams(request.query).get('variant');
  if (variant !== null && !VARIANTS.has(variant)) {
    return wrong('variant', 'must be "video", "thumbnail" or "spritesheet"');
  }
  const query = variant === null ? '' : `variant=${variant}`;
  const address = addressObject(credential, { ...job, below: '/content', query });
  for (const name of ASKED) {
    const value = request.headers[name];
    if (typeof value === 'string' && isHeaderValue(value)) address.headers.push(name, value);
  }
  const reply = await relayContent(request, address, {
    job,
    describe,
    began: () => endJob(request, job),
  });
  return reply === 'sent' ? undefined : endWithoutAnswer(request, job, reply);
}

function describe({ headers }: UpstreamHead): string[] {
  return DESCRIBED.flatMap((name) => {
    const value = headers[name];
    return value !== undefined && isHeaderValue(value) ? [name, value] : [];
  });
}

/** Whoever has the video pays for it, whatever becomes of it at the vendor before the next question. */
function endJob({ gateway }: JobRequest, { callId, state }: Job): void {
  const { tasks, jobs } = gateway.deps;
  if (state === 'running')
    tasks.run('jobs.end', async () => void (await jobs.end(callId, { state: 'complete' })));
}
