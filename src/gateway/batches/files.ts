import type { StoredFile } from '../../jobs/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { readInputLine } from '../../protocol/batches/input-line.ts';
import { readResult } from '../../protocol/batches/result.ts';
import { WAIT_MS } from '../admit/identify.ts';
import { classify } from '../admit/route.ts';
import { unknown } from '../endpoints/stored-answer.ts';
import { addressObject, askAboutObject } from '../jobs/ask-vendor.ts';
import { LIST_ASK_MS, LIST_SIZE_MAX } from '../jobs/bounds.ts';
import { relayContent } from '../jobs/content-relay.ts';
import { findJob } from '../jobs/find-job.ts';
import { findJobCredential, type JobCredential } from '../jobs/job-credential.ts';
import { mapSome, readPage, sendList } from '../jobs/job-list.ts';
import {
  endWithoutAnswer,
  type JobRequest,
  type JobRequestEnd,
  sendAnswer,
  showId,
} from '../jobs/job-request.ts';
import { hasten, settleBatch } from './end-batch.ts';
import { LinesChange } from './read-results.ts';

/**
 * Reads, lists and deletes the files of an account, and passes on their content. This is not a call: nothing
 * is held, counted or charged.
 */
export async function serveFiles(request: JobRequest): Promise<JobRequestEnd> {
  const { asked } = request;
  if (asked.id === 'listFiles') return list(request);
  const id = asked.params.id ?? '';
  const { caller, gateway } = request;
  const file = await gateway.deps.files.find(caller.account.id, id);
  if (file === undefined) return refuseFile(id);
  const credential = credentialOf(request, file);
  if (credential === undefined) {
    return refuse('upstreamBroken', { message: 'The credential that has this file is gone' });
  }
  if (asked.id === 'getFileContent') return content(request, file, credential);
  if (asked.id === 'deleteFile') return remove(request, file, credential);
  const reply = await askAboutObject(gateway.deps.client, credential, { ...ofFile(file), method: 'GET' });
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') {
    return endWithoutAnswer(request, file, reply);
  }
  sendAnswer(request, file, { head: reply.head, pieces: [reply.body] });
  return undefined;
}

/** The same for a file of another account as for one that never was. */
function refuseFile(id: string): Refusal {
  return unknown(`No such File object: ${showId(id)}`);
}

function ofFile({ objectId }: StoredFile) {
  return { kind: 'file', objectId } as const;
}

function credentialOf({ caller, gateway }: JobRequest, file: StoredFile): JobCredential | undefined {
  return findJobCredential({ ...file, kind: 'file' }, caller.account.byok, gateway.directory.catalog());
}

/** The lines of a file as they come, with the platform's name of the model. */
async function content(
  request: JobRequest,
  file: StoredFile,
  credential: JobCredential,
): Promise<JobRequestEnd> {
  const { protocol, model, batchId } = file;
  const change = new LinesChange((line) =>
    batchId === undefined ? readInputLine(line, model) : readResult(line, protocol, model).pieces,
  );
  const address = addressObject(credential, { ...ofFile(file), below: '/content' });
  const batch = await findBatch(request, file);
  const reply = await relayContent(request, address, {
    job: file,
    began: () => {
      if (batch !== undefined) hasten(request, batch);
    },
    change,
  });
  return reply === 'sent' ? undefined : endWithoutAnswer(request, file, reply);
}

/** The batch whose results the file has. */
function findBatch({ caller, gateway }: JobRequest, { batchId }: StoredFile) {
  if (batchId === undefined) return undefined;
  return findJob(caller.account.id, { kind: 'batch', objectId: batchId }, gateway.deps);
}

/** Results are charged before they are deleted: afterwards nobody could read what they used. */
async function remove(
  request: JobRequest,
  file: StoredFile,
  credential: JobCredential,
): Promise<JobRequestEnd> {
  const { client, files } = request.gateway.deps;
  const job = await findBatch(request, file);
  const unsettled = job === undefined ? undefined : await settleBatch(request, job, credential);
  if (unsettled === 'running') {
    return refuse('notExpressible', { message: 'The results of a batch are deleted when it has ended' });
  }
  if (unsettled !== undefined) return refuse(unsettled, { retryAfterMs: WAIT_MS });
  const reply = await askAboutObject(client, credential, { ...ofFile(file), method: 'DELETE' });
  const isGone = reply.kind === 'answer' && reply.head.status === 404;
  const isDeleted = reply.kind === 'answer' && classify(reply.head.status) === 'success';
  if (isDeleted || isGone) await files.remove(file.accountId, file.objectId);
  if (!isDeleted) return endWithoutAnswer(request, file, reply);
  sendAnswer(request, file, { head: reply.head, pieces: [reply.body] });
  return undefined;
}

async function list(request: JobRequest): Promise<JobRequestEnd> {
  const asked = new URLSearchParams(request.query);
  const page = readPage(asked);
  if (isRefusal(page)) return page;
  const { files } = request.gateway.deps;
  const limit = Math.min(page.limit + 1, LIST_SIZE_MAX);
  const found = await files.list(request.caller.account.id, { ...page, limit });
  const shown = found.slice(0, page.limit);
  const purpose = asked.get('purpose');
  const wanted = shown.filter(({ batchId }) => purpose === null || purpose === purposeOf(batchId));
  const items = await mapSome(wanted, (file) => show(request, file));
  return sendList(
    request,
    items.filter((item) => item !== undefined),
    {
      first_id: shown.at(0)?.objectId ?? null,
      last_id: shown.at(-1)?.objectId ?? null,
      has_more: found.length > page.limit || found.length === LIST_SIZE_MAX,
    },
  );
}

function purposeOf(batchId: string | undefined): string {
  return batchId === undefined ? 'batch' : 'batch_output';
}

async function show(request: JobRequest, file: StoredFile): Promise<Buffer | undefined> {
  const credential = credentialOf(request, file);
  if (credential === undefined || request.response.closed) return undefined;
  const question = { ...ofFile(file), method: 'GET', waitMs: LIST_ASK_MS } as const;
  const reply = await askAboutObject(request.gateway.deps.client, credential, question);
  return reply.kind === 'answer' && classify(reply.head.status) === 'success' ? reply.body : undefined;
}
