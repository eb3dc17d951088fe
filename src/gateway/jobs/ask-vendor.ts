import type { UpstreamClient } from '../../upstream/contract.ts';
import { type AskReply, ask } from '../../upstream/http/ask.ts';
import { addressVendor, type VendorAddress } from '../../upstream/vendor.ts';
import { JOB_ANSWER_BYTES_MAX, JOB_ASK_MS } from './bounds.ts';
import type { JobCredential } from './job-credential.ts';

/** A video at its vendor, or its content. `query` has no question mark, and nothing of the client's. */
export function addressVideo(
  { vendor, credential }: JobCredential,
  objectId: string,
  content?: { readonly query: string },
): VendorAddress {
  const id = `/${encodeURIComponent(objectId)}`;
  return addressVendor({
    route: { vendor, credential, forwardModelId: '' },
    protocol: 'videos',
    action: 'generate',
    clientHeaders: {},
    below: content === undefined ? id : `${id}/content`,
    query: content?.query ?? '',
  });
}

export interface VideoQuestion {
  readonly objectId: string;
  readonly method: 'GET' | 'DELETE';
  readonly waitMs?: number;
}

/** Asks the vendor about a video, within bounds of time and size. It never throws. */
export function askAboutVideo(
  client: UpstreamClient,
  credential: JobCredential,
  { objectId, method, waitMs = JOB_ASK_MS }: VideoQuestion,
): Promise<AskReply> {
  const address = addressVideo(credential, objectId);
  return ask(client, { ...address, method, body: [] }, { waitMs, bytesMax: JOB_ANSWER_BYTES_MAX });
}
