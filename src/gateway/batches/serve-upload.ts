import type { IncomingMessage } from 'node:http';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { isMultipart, NotAForm } from '../../protocol/images/multipart.ts';
import { WAIT_MS } from '../admit/identify.ts';
import type { JobRequest, JobRequestEnd } from '../jobs/job-request.ts';
import { FILES_OF_ACCOUNT_MAX, UPLOAD_BYTES_MAX, UPLOAD_FORM_BYTES_MAX, UPLOAD_PAUSE_MS } from './bounds.ts';
import { ClientPace } from './client-pace.ts';
import { FileUpload, type WholeFile } from './file-upload.ts';
import { finishUpload } from './finish-upload.ts';

/** A new file: it goes to the vendor of the model that its first line names, as it comes. */
export async function serveUpload(entered: JobRequest): Promise<JobRequestEnd> {
  const { request } = entered;
  const early = refuseEarly(request) ?? (await refuseMore(entered));
  if (early !== undefined) return early;
  const upload = createUpload(entered);
  if (isRefusal(upload)) return upload;
  if (request.headers.expect?.toLowerCase() === '100-continue') entered.response.writeContinue();
  try {
    const file = await pump(request, upload, entered);
    return file === undefined || isRefusal(file) ? file : await finishUpload(entered, upload, file);
  } finally {
    upload.abort();
  }
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
): Promise<WholeFile | Refusal | undefined> {
  const memory = new LineMemory(entered);
  const client = new ClientPace(request, entered.gateway.deps.clock);
  const stalled = setTimeout(() => request.destroy(), UPLOAD_PAUSE_MS);
  try {
    for (let chunk = await client.next(); chunk !== undefined; chunk = await client.next()) {
      const refusal = await upload.push(chunk);
      if (refusal !== undefined) return refusal;
      if (!memory.hold(upload.heldBytes)) return refuse('unavailable', { retryAfterMs: WAIT_MS });
      if (upload.isOver) break;
      stalled.refresh();
    }
    return upload.check();
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
