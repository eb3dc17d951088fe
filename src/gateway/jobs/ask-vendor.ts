import type { Job, JobKind } from '../../jobs/contract.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import { type AskReply, ask } from '../../upstream/http/ask.ts';
import { addressVendor, type VendorAddress, type VendorCall } from '../../upstream/vendor.ts';
import { JOB_ANSWER_BYTES_MAX, JOB_ASK_MS } from './bounds.ts';
import type { JobCredential } from './job-credential.ts';

/** Where a vendor has objects of this kind. */
const PLACES: Readonly<Record<JobKind | 'file', Pick<VendorCall, 'protocol' | 'action'>>> = {
  video: { protocol: 'videos', action: 'generate' },
  batch: { protocol: 'chat', action: 'batch' },
  'message-batch': { protocol: 'messages', action: 'batch' },
  file: { protocol: 'chat', action: 'file' },
};

/** An object of an account at its vendor: a job, or a file. */
export interface VendorObject extends Pick<Job, 'objectId'> {
  readonly kind: JobKind | 'file';
  /** A part of the object, such as `/content`. */
  readonly below?: string | undefined;
  /** Without a question mark, and with nothing of the client's. */
  readonly query?: string | undefined;
}

export function addressObject(
  { vendor, credential }: JobCredential,
  { kind, objectId, below = '', query = '' }: VendorObject,
): VendorAddress {
  return addressVendor({
    ...PLACES[kind],
    route: { vendor, credential, forwardModelId: '' },
    clientHeaders: {},
    below: `/${encodeURIComponent(objectId)}${below}`,
    query,
  });
}

/** All files that a vendor has for a credential, in pages. */
export function addressFiles({ vendor, credential }: JobCredential, query: string): VendorAddress {
  const route = { vendor, credential, forwardModelId: '' };
  return addressVendor({ ...PLACES.file, route, clientHeaders: {}, query });
}

export interface ObjectQuestion extends VendorObject {
  readonly method: 'GET' | 'DELETE' | 'POST';
  readonly waitMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Asks the vendor about an object, within bounds of time and size. It never throws. */
export function askAboutObject(
  client: UpstreamClient,
  credential: JobCredential,
  question: ObjectQuestion,
): Promise<AskReply> {
  const { method, waitMs = JOB_ASK_MS, signal } = question;
  const address = addressObject(credential, question);
  return ask(client, { ...address, method, body: [] }, { waitMs, bytesMax: JOB_ANSWER_BYTES_MAX, signal });
}
