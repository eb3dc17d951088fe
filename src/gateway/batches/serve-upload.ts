import type { IncomingMessage } from 'node:http';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { readBatch } from '../../protocol/batches/answer.ts';
import { isMultipart, NotAForm } from '../../protocol/images/multipart.ts';
import { refuseIfAway, WAIT_MS } from '../admit/identify.ts';
import { classify } from '../admit/route.ts';
import { isOwn } from '../attempt/attempt-context.ts';
import { askAboutObject } from '../jobs/ask-vendor.ts';
import { type ArrivedRequest, enterJobRequest } from '../jobs/enter-job-request.ts';
import { endWithoutAnswer, type JobRequest, type JobRequestEnd, sendAnswer } from '../jobs/job-request.ts';
import { FILES_OF_ACCOUNT_MAX, UPLOAD_BYTES_MAX, UPLOAD_FORM_BYTES_MAX, UPLOAD_PAUSE_MS } from './bounds.ts';
import { FileUpload, type Uploaded } from './file-upload.ts';

/** A new file: it goes to the vendor of the model that its first line names, as it comes. */
export function serveUpload(arrived: ArrivedRequest): Promise<void> {
  const { request, response, gateway } = arrived;
  let isRead = false;
  const discard = (): void => {
    if (!isRead && !request.destroyed) gateway.discardBody(request, response);
    isRead = true;
  };
  return enterJobRequest(arrived, async (entered) => {
    const end = await receive(request, entered).catch(refuseIfAway);
    discard();
    return end;
  }).finally(discard);
}

async function receive(request: IncomingMessage, entered: JobRequest): Promise<JobRequestEnd> {
  const early = refuseEarly(request) ?? (await refuseMore(entered));
  if (early !== undefined) return early;
  const upload = createUpload(entered);
  if (isRefusal(upload)) return upload;
  if (request.headers.expect?.toLowerCase() === '100-continue') entered.response.writeContinue();
  const uploaded = await pump(request, upload, entered);
  if (uploaded === undefined || isRefusal(uploaded)) {
    upload.abort();
    return uploaded;
  }
  return keep(entered, uploaded);
}

function refuseEarly({ headers }: IncomingMessage): Refusal | undefined {
  if (!isMultipart(headers['content-type'] ?? '')) {
    return refuse('mediaTypeUnsupported', { message: 'A file is sent as multipart/form-data' });
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return refuse('mediaTypeUnsupported');
  const isLarge = Number(headers['content-length'] ?? 0) > UPLOAD_BYTES_MAX + UPLOAD_FORM_BYTES_MAX;
  return isLarge ? refuse('bodyTooLarge') : undefined;
}

async function refuseMore({ gateway, caller }: JobRequest): Promise<Refusal | undefined> {
  const count = await gateway.deps.files.countUploaded(caller.account.id);
  if (count < FILES_OF_ACCOUNT_MAX) return undefined;
  return refuse('notExpressible', {
    message: `An account has at most ${FILES_OF_ACCOUNT_MAX} files: delete some first`,
  });
}

function createUpload(entered: JobRequest): FileUpload | Refusal {
  try {
    return new FileUpload(entered);
  } catch (error) {
    if (error instanceof NotAForm) return refuse('bodyNotJson', { message: error.message });
    throw error;
  }
}

/** `undefined`: the client has left. Each chunk is passed on before the next is read. */
async function pump(
  request: IncomingMessage,
  upload: FileUpload,
  entered: JobRequest,
): Promise<Uploaded | Refusal | undefined> {
  const memory = new LineMemory(entered);
  const stalled = setTimeout(() => request.destroy(), UPLOAD_PAUSE_MS);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const refusal = await upload.push(chunk);
      if (refusal !== undefined) return refusal;
      if (!memory.hold(upload.heldBytes)) return refuse('unavailable', { retryAfterMs: WAIT_MS });
      if (upload.isOver) break;
      stalled.refresh();
    }
    clearTimeout(stalled);
    return upload.isOver ? await upload.finishEarly() : await upload.finish();
  } catch (error) {
    if (request.destroyed || request.errored !== null) return undefined;
    throw error;
  } finally {
    clearTimeout(stalled);
    memory.hold(0);
  }
}

/** The account's share of memory that a long line takes. */
class LineMemory {
  readonly #entered: JobRequest;
  #bytes = 0;

  constructor(entered: JobRequest) {
    this.#entered = entered;
  }

  hold(bytes: number): boolean {
    const { gateway, caller } = this.#entered;
    const { bodies } = gateway.deps;
    const more = bytes - this.#bytes;
    if (more > 0 && !bodies.take(caller.account.id, more)) return false;
    if (more < 0) bodies.give(caller.account.id, -more);
    this.#bytes = bytes;
    return true;
  }
}

/** The file belongs to the account before the client knows of it. */
async function keep(entered: JobRequest, { reply, route, sum }: Uploaded): Promise<JobRequestEnd> {
  const { caller, gateway } = entered;
  const { files, clock, client } = gateway.deps;
  const owned = { model: sum.model, own: isOwn(route) === true };
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') {
    return endWithoutAnswer(entered, owned, reply);
  }
  const { id: objectId, valid, isError } = readBatch(reply.body, { model: sum.model });
  if (!valid || isError || objectId === '') return refuse('upstreamBroken');
  const { items, inputTokens, outputTokens, protocol } = sum;
  const place = { routeId: route.id, credential: route.credential.name, batchId: undefined };
  try {
    await files.add({
      ...{ accountId: caller.account.id, objectId, createdAtMs: clock.now(), ...place, ...owned },
      ...{ protocol, items, inputTokens, outputTokens },
    });
  } catch (error) {
    // Nobody could find it again.
    void askAboutObject(client, route, { kind: 'file', objectId, method: 'DELETE' });
    return refuseIfAway(error);
  }
  sendAnswer(entered, owned, { head: reply.head, pieces: [reply.body] });
  return undefined;
}
