import { StoreUnavailable } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Credential } from '../../catalog/contract.ts';
import type { NotedUpload, UploadStore } from '../../jobs/contract.ts';
import { sha256Hex } from '../../kernel/encoding/hash.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { isObjectId } from '../../protocol/pass-through/object-text.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import { ask } from '../../upstream/http/ask.ts';
import { classify } from '../admit/route.ts';
import { addressFiles, askAboutObject } from '../jobs/ask-vendor.ts';
import { JOB_ASK_MS } from '../jobs/bounds.ts';
import { findJobCredential, type JobCredential } from '../jobs/job-credential.ts';
import {
  CLOCKS_DIFFER_MS,
  LOST_UPLOAD_LOOK_MS,
  LOST_UPLOAD_MS_MAX,
  LOST_UPLOADS_AT_ONCE,
  LOST_UPLOADS_ROUND_MS,
  VENDOR_LIST_BYTES_MAX,
  VENDOR_LIST_PAGES_MAX,
  VENDOR_LIST_SIZE,
} from './bounds.ts';

export interface LostUploadParts {
  readonly uploads: UploadStore;
  readonly client: UpstreamClient;
  readonly clock: Clock;
  readonly log: Logger;
  catalog(): CatalogSnapshot;
  /** The credentials of an account. */
  findOwn(accountId: number): Promise<readonly Credential[]>;
}

/** Another node looks for an upload again after this time: longer than all pages may take. */
const TAKEN_MS = 2 * VENDOR_LIST_PAGES_MAX * JOB_ASK_MS;

/**
 * Deletes at their vendors what is left over of uploads that were not finished: the process died, the answer
 * of the vendor was lost, or the store was away. Any number of nodes may.
 */
export class LostUploads {
  readonly #parts: LostUploadParts;
  #round: { readonly work: Promise<void>; readonly vendors: AbortController } | undefined;

  constructor(parts: LostUploadParts) {
    this.#parts = parts;
  }

  /** One round at a time. Never throws. */
  async run(): Promise<void> {
    if (this.#round !== undefined) return;
    const vendors = new AbortController();
    this.#round = { vendors, work: this.#lookForAll(vendors.signal) };
    await this.#round.work;
    this.#round = undefined;
  }

  /** A vendor that has not answered is not waited for. */
  async stop(): Promise<void> {
    this.#round?.vendors.abort();
    await this.#round?.work;
  }

  async #lookForAll(signal: AbortSignal): Promise<void> {
    const { uploads, log } = this.#parts;
    try {
      const lost = await uploads.takeLost(LOST_UPLOADS_AT_ONCE, TAKEN_MS);
      await Promise.all(lost.map((upload) => look({ ...this.#parts, signal }, upload)));
    } catch (error) {
      // A store that is away is tried again in the next round.
      if (error instanceof StoreUnavailable) return;
      log.error({ err: error }, 'lost uploads could not be looked for; it is tried again');
    }
  }
}

interface Looking extends LostUploadParts {
  readonly signal: AbortSignal;
}

async function look(parts: Looking, upload: NotedUpload): Promise<void> {
  const { uploads, clock, log } = parts;
  const { id, accountId, credential } = upload;
  const ageMs = clock.now() - upload.notedAtMs;
  const found = await deleteAtVendor(parts, upload);
  if (found === 'deleted') log.info({ requestId: id, accountId, credential }, 'a lost upload was deleted');
  const isOver = ageMs > (found === 'unknown' ? LOST_UPLOAD_MS_MAX : LOST_UPLOAD_LOOK_MS);
  if (found === 'unknown' && isOver) {
    log.warn({ requestId: id, accountId, credential }, 'a lost upload may be left at its vendor');
  }
  if (found === 'deleted' || isOver) await uploads.forget(id);
  else await uploads.lookAgain(id, LOST_UPLOADS_ROUND_MS);
}

async function deleteAtVendor(
  { uploads, client, catalog, findOwn, signal }: Looking,
  upload: NotedUpload,
): Promise<'deleted' | 'absent' | 'unknown'> {
  const own = upload.own ? await findOwn(upload.accountId) : [];
  const credential = findJobCredential({ ...upload, kind: 'file' }, own, catalog());
  if (credential === undefined) return 'unknown';
  const asking = { client, credential, signal };
  const alike = await listAlike(asking, upload);
  if (alike === 'unknown') return alike;
  const orphans = alike.length === 0 ? [] : await uploads.findOrphans(alike, upload);
  for (const objectId of orphans) {
    const question = { kind: 'file', objectId, method: 'DELETE', signal } as const;
    const reply = await askAboutObject(client, credential, question);
    if (reply.kind === 'failed') return 'unknown';
    if (classify(reply.head.status) !== 'success' && reply.head.status !== 404) return 'unknown';
  }
  return orphans.length > 0 ? 'deleted' : 'absent';
}

interface Asking extends Pick<Looking, 'client' | 'signal'> {
  readonly credential: JobCredential;
}

/** The ids of the vendor's files with the name, the length and the time of the upload. */
async function listAlike(
  { client, credential, signal }: Asking,
  upload: NotedUpload,
): Promise<readonly string[] | 'unknown'> {
  const alike: string[] = [];
  let after = '';
  for (let page = 0; page < VENDOR_LIST_PAGES_MAX; page++) {
    const behind = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const query = `purpose=batch&order=desc&limit=${VENDOR_LIST_SIZE}${behind}`;
    const question = { ...addressFiles(credential, query), method: 'GET', body: [] } as const;
    const bounds = { waitMs: JOB_ASK_MS, bytesMax: VENDOR_LIST_BYTES_MAX, signal };
    const reply = await ask(client, question, bounds);
    if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') return 'unknown';
    const parsed = parseJson(reply.body.toString('utf8'), { bytesMax: VENDOR_LIST_BYTES_MAX, depthMax: 8 });
    if (parsed.kind === 'invalid' || !isJsonObject(parsed.value)) return 'unknown';
    const { data, has_more: hasMore } = parsed.value;
    if (!Array.isArray(data)) return 'unknown';
    const files = data.flatMap(readFile);
    alike.push(...files.filter((file) => isAlike(file, upload)).map(({ id }) => id));
    const last = files.at(-1);
    const isBehind = last === undefined || last.createdAtMs < upload.notedAtMs - CLOCKS_DIFFER_MS;
    if (hasMore !== true || isBehind) return alike;
    after = last.id;
  }
  return alike;
}

interface VendorFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly createdAtMs: number;
}

function readFile(value: unknown): readonly VendorFile[] {
  if (!isJsonObject(value)) return [];
  const { id, filename: name, bytes, created_at: seconds } = value;
  if (typeof id !== 'string' || !isObjectId(id) || typeof name !== 'string') return [];
  if (typeof bytes !== 'number' || typeof seconds !== 'number') return [];
  return [{ id, name, bytes, createdAtMs: seconds * 1_000 }];
}

/** It came into being when this upload ended, give or take the difference of two clocks. */
function isAlike({ name, bytes, createdAtMs }: VendorFile, upload: NotedUpload): boolean {
  const laterMs = createdAtMs - upload.notedAtMs;
  const isThen = laterMs >= -CLOCKS_DIFFER_MS && laterMs <= LOST_UPLOAD_LOOK_MS;
  return isThen && bytes === upload.bytes && sha256Hex(name) === upload.nameHash;
}
