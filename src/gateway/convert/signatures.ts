import type { Conversations } from '../../conversation/contract.ts';
import type { ClientRequest } from '../../protocol/convert/convert.ts';
import { unwrapSignatures, wrapSignatures } from '../../protocol/hub/envelope.ts';
import { attachSignatures, signaturesWanted } from '../../protocol/hub/fit/signatures.ts';
import type { Signature } from '../../protocol/hub/signature.ts';

/**
 * Signatures for clients that cannot keep them (rule C-42). They are stored by the id of their tool call, and
 * put back when the client sends that call again. Only Chat clients need this.
 */
export function saveSignatures(
  conversations: Conversations,
  accountId: number,
  kept: ReadonlyMap<string, readonly Signature[]>,
): void {
  for (const [callId, signatures] of kept) {
    conversations.keep(accountId, toSignaturesKey(callId), Buffer.from(wrapSignatures(signatures)));
  }
}

export async function withSavedSignatures(
  client: ClientRequest,
  conversations: Conversations,
  accountId: number,
): Promise<ClientRequest> {
  const wanted = signaturesWanted(client.request);
  if (wanted.length === 0) return client;
  const found = new Map<string, readonly Signature[]>();
  await Promise.all(
    wanted.map(async (callId) => {
      const value = await conversations.find(accountId, toSignaturesKey(callId));
      const signatures = value === undefined ? undefined : unwrapSignatures(value.toString('latin1'));
      if (signatures !== undefined) found.set(callId, signatures);
    }),
  );
  return found.size === 0 ? client : { ...client, request: attachSignatures(client.request, found) };
}

function toSignaturesKey(callId: string): string {
  return `call:${callId}`;
}
