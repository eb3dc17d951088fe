import type { JsonObject } from '../../hub/content/json.ts';
import { unwrapSignatures } from '../../hub/envelope.ts';
import type { Part } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { listObjects, optionalList, optionalText, textOrEmpty } from '../fields.ts';

/**
 * A reasoning item of a client: its visible text, and what its vendor needs back. Items of ours have an
 * envelope with the signatures of the vendor that reasoned (rule C-41). An envelope with several signatures
 * becomes as many parts.
 */
export function decodeReasoning(item: JsonObject, path: string): readonly Part[] {
  optionalList(item.summary, `${path}.summary`);
  const text = reasoningText(item);
  const encrypted = optionalText(item.encrypted_content, `${path}.encrypted_content`) ?? '';
  const id = optionalText(item.id, `${path}.id`);
  const signatures =
    encrypted === '' ? [] : (unwrapSignatures(encrypted) ?? [encryptedSignature('responses', encrypted, id)]);
  if (signatures.length === 0) return text === '' ? [] : [{ kind: 'reasoning', text }];
  return signatures.map((signature, index) => ({
    kind: 'reasoning',
    text: signature.text ?? (index === 0 ? text : ''),
    signature,
  }));
}

/** The summary, or the thinking itself if a vendor shows that instead. */
export function reasoningText(item: JsonObject): string {
  const summary = joined(item, 'summary');
  return summary === '' ? joined(item, 'content') : summary;
}

function joined(item: JsonObject, field: 'summary' | 'content'): string {
  return listObjects(item[field])
    .map((part) => textOrEmpty(part.text))
    .join('\n\n');
}

/** The ciphertext is bound to the id of its item. */
export function encryptedSignature(issuer: string, value: string, itemId: string | undefined): Signature {
  return {
    issuer,
    form: 'encrypted',
    place: 'reasoning',
    value,
    ...(itemId === undefined || itemId === '' ? {} : { itemId }),
  };
}
