import type { Conversations } from '../../conversation/contract.ts';
import type { ClientRequest } from '../../protocol/convert/convert.ts';
import type { Blob } from '../../protocol/hub/blob.ts';
import { unwrapBlobs, wrapBlobs } from '../../protocol/hub/envelope.ts';
import { attachBlobs, blobsWanted } from '../../protocol/hub/fit/blobs.ts';

/**
 * Signatures for clients that cannot keep them (rule C-42). They are stored by the id of their tool call, and
 * put back when the client sends that call again. Only Chat clients need this.
 */
export function saveSignatures(
  conversations: Conversations,
  accountId: number,
  kept: ReadonlyMap<string, readonly Blob[]>,
): void {
  for (const [callId, blobs] of kept) {
    conversations.keep(accountId, keyOf(callId), Buffer.from(wrapBlobs(blobs)));
  }
}

export async function withSavedSignatures(
  client: ClientRequest,
  conversations: Conversations,
  accountId: number,
): Promise<ClientRequest> {
  const wanted = blobsWanted(client.request);
  if (wanted.length === 0) return client;
  const found = new Map<string, readonly Blob[]>();
  await Promise.all(
    wanted.map(async (callId) => {
      const value = await conversations.find(accountId, keyOf(callId));
      const blobs = value === undefined ? undefined : unwrapBlobs(value.toString('latin1'));
      if (blobs !== undefined) found.set(callId, blobs);
    }),
  );
  return found.size === 0 ? client : { ...client, request: attachBlobs(client.request, found) };
}

function keyOf(callId: string): string {
  return `call:${callId}`;
}
