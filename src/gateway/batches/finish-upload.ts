import type { NotedUpload, StoredFile } from '../../jobs/contract.ts';
import { sha256Hex } from '../../kernel/encoding/hash.ts';
import { refuse } from '../../kernel/errors.ts';
import { fault } from '../../kernel/fault.ts';
import { readBatch } from '../../protocol/batches/answer.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { WAIT_MS } from '../admit/identify.ts';
import { classify } from '../admit/route.ts';
import { isOwn } from '../attempt/attempt-context.ts';
import { askAboutObject } from '../jobs/ask-vendor.ts';
import { endWithoutAnswer, type JobRequest, type JobRequestEnd, sendAnswer } from '../jobs/job-request.ts';
import { UPLOAD_NOTE_MS, UPLOAD_RENEW_MS } from './bounds.ts';
import type { FileUpload, WholeFile } from './file-upload.ts';

/**
 * Gives the vendor the end of a file. The upload is noted before, so that whatever happens next the file
 * becomes one of the account or is deleted at the vendor (lost-uploads.ts).
 */
export async function finishUpload(
  entered: JobRequest,
  upload: FileUpload,
  file: WholeFile,
): Promise<JobRequestEnd> {
  const { uploads, clock, tasks } = entered.gateway.deps;
  const { route, name, bytes } = file;
  const noted: NotedUpload = {
    id: entered.requestId,
    accountId: entered.caller.account.id,
    notedAtMs: clock.now(),
    credential: route.credential.name,
    own: isOwn(route) === true,
    nameHash: sha256Hex(name),
    bytes,
  };
  await uploads.note(noted, UPLOAD_NOTE_MS);
  const renewing = setInterval(() => {
    tasks.run('uploads.renew', () => uploads.renew(noted.id, UPLOAD_NOTE_MS));
  }, UPLOAD_RENEW_MS);
  try {
    const answered = await upload.finish();
    fault('upload.after-answer');
    return await keep(entered, { file, noted, ...answered });
  } finally {
    clearInterval(renewing);
  }
}

interface Answered {
  readonly file: WholeFile;
  readonly noted: NotedUpload;
  readonly reply: AskReply;
  /** The vendor had all of the file when it answered. */
  readonly isWhole: boolean;
}

/** The file belongs to the account before the client knows of it. */
async function keep(entered: JobRequest, answered: Answered): Promise<JobRequestEnd> {
  const { file, noted, reply, isWhole } = answered;
  const { route, sum } = file;
  const { deps } = entered.gateway;
  const owned = { model: sum.model, own: noted.own };
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') {
    if (hasNothing(reply)) deps.tasks.run('uploads.forget', () => deps.uploads.forget(noted.id));
    return endWithoutAnswer(entered, owned, reply);
  }
  const { id: objectId, valid, isError } = readBatch(reply.body, { model: sum.model });
  if (!valid || isError || objectId === '') return refuse('upstreamBroken');
  if (!isWhole) {
    await askAboutObject(deps.client, route, { kind: 'file', objectId, method: 'DELETE' });
    return refuse('upstreamBroken');
  }
  const { items, inputTokens, outputTokens, protocol } = sum;
  const { accountId, credential } = noted;
  const stored: StoredFile = {
    accountId,
    objectId,
    createdAtMs: deps.clock.now(),
    routeId: route.id,
    credential,
    ...owned,
    protocol,
    items,
    inputTokens,
    outputTokens,
    batchId: undefined,
  };
  if (!(await deps.uploads.keep(noted.id, stored))) {
    // The store could not be asked for so long that the upload counts as lost.
    await askAboutObject(deps.client, route, { kind: 'file', objectId, method: 'DELETE' });
    return refuse('unavailable', { retryAfterMs: WAIT_MS });
  }
  sendAnswer(entered, owned, { head: reply.head, pieces: [reply.body] });
  return undefined;
}

/** An answer that the vendor refuses the file. Behind any other error the file may be there. */
function hasNothing(reply: AskReply): boolean {
  if (reply.kind === 'failed') return false;
  const { status } = reply.head;
  return status >= 400 && status < 500 && status !== 408;
}
