import type { Conversations } from '../../conversation/contract.ts';
import { getCodec } from '../../protocol/convert/codecs.ts';
import type { ClientRequest } from '../../protocol/convert/convert.ts';
import { unwrapSignatures, wrapSignatures } from '../../protocol/hub/envelope.ts';
import {
  attachSignatures,
  attachTextSignatures,
  SIGNED_TEXT,
  signaturesWanted,
  signedTextsWanted,
} from '../../protocol/hub/fit/signatures.ts';
import type { Signature } from '../../protocol/hub/signature.ts';

/**
 * Signatures for clients that cannot keep them (rule C-42). Those of calls are stored by the id of the call,
 * for Chat clients; those of texts by the text, for clients that could carry them only in thinking behind it.
 * They are put back when the client sends the call or the text again.
 */
export function saveSignatures(
  conversations: Conversations,
  accountId: number,
  kept: ReadonlyMap<string, readonly Signature[]>,
): void {
  for (const [key, signatures] of kept) {
    conversations.keep(accountId, toStoreKey(key), Buffer.from(wrapSignatures(signatures)));
  }
}

export async function withSavedSignatures(
  client: ClientRequest,
  conversations: Conversations,
  accountId: number,
): Promise<ClientRequest> {
  const found = await findSignatures(signaturesWanted(client.request), conversations, accountId);
  return found.size === 0 ? client : { ...client, request: attachSignatures(client.request, found) };
}

/** For a vendor that signs texts. Other vendors' requests need not be searched. */
export async function withSavedTextSignatures(
  client: ClientRequest,
  conversations: Conversations,
  accountId: number,
): Promise<ClientRequest> {
  const { request } = client;
  if (!getCodec(request.client).rules.carriesReasoning) return client;
  const found = await findSignatures(signedTextsWanted(request), conversations, accountId);
  return found.size === 0 ? client : { ...client, request: attachTextSignatures(request, found) };
}

async function findSignatures(
  wanted: readonly string[],
  conversations: Conversations,
  accountId: number,
): Promise<ReadonlyMap<string, readonly Signature[]>> {
  const found = new Map<string, readonly Signature[]>();
  await Promise.all(
    wanted.map(async (key) => {
      const value = await conversations.find(accountId, toStoreKey(key));
      const signatures = value === undefined ? undefined : unwrapSignatures(value.toString('latin1'));
      if (signatures !== undefined) found.set(key, signatures);
    }),
  );
  return found;
}

/** No id of a call that a client sees has a colon. */
function toStoreKey(key: string): string {
  return key.startsWith(SIGNED_TEXT) ? key : `call:${key}`;
}
