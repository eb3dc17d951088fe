import type { Blob } from '../../hub/blob.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { unwrapBlobs } from '../../hub/envelope.ts';
import type { Part } from '../../hub/part.ts';
import { listObjects, optionalList, optionalText, textOrEmpty } from '../fields.ts';

/**
 * A reasoning item of a client's: what it may show, and what its vendor wants back. Ours hold an envelope
 * with the blobs of whoever thought (rule C-41); a carrier of several becomes as many parts.
 */
export function decodeReasoning(item: JsonObject, path: string): readonly Part[] {
  optionalList(item.summary, `${path}.summary`);
  const text = reasoningText(item);
  const sealed = optionalText(item.encrypted_content, `${path}.encrypted_content`) ?? '';
  const id = optionalText(item.id, `${path}.id`);
  const blobs = sealed === '' ? [] : (unwrapBlobs(sealed) ?? [encryptedBlob('responses', sealed, id)]);
  if (blobs.length === 0) return text === '' ? [] : [{ kind: 'reasoning', text }];
  return blobs.map((blob, index) => ({
    kind: 'reasoning',
    text: blob.text ?? (index === 0 ? text : ''),
    blob,
  }));
}

/** The summary, or the thinking itself where a vendor shows that instead. */
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
export function encryptedBlob(issuer: string, value: string, itemId: string | undefined): Blob {
  return {
    issuer,
    form: 'encrypted',
    place: 'reasoning',
    value,
    ...(itemId === undefined || itemId === '' ? {} : { itemId }),
  };
}
