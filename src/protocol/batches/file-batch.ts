import type { Refusal } from '../../kernel/errors.ts';
import { textAt } from '../bytes/text.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import { scanRequest } from '../pass-through/request.ts';

/** A new batch in the form of OpenAI. What is `undefined` is missing or no text. */
export interface FileBatch {
  readonly fileId: string | undefined;
  readonly endpoint: string | undefined;
}

/** All members that the vendor knows: each comes once and in one spelling, because the bytes go on to it. */
const TREE = compileMembers({
  fileId: ['input_file_id', 'text'],
  endpoint: ['endpoint', 'text'],
  window: ['completion_window', 'any'],
  metadata: ['metadata', 'any'],
  expiry: ['output_expires_after', 'any'],
  anchor: ['output_expires_after.anchor', 'any'],
  seconds: ['output_expires_after.seconds', 'any'],
});
const { slots } = TREE;
export const FILE_BATCH_MEMBERS = TREE.members;

export function readFileBatch(body: Buffer): FileBatch | Refusal | Promise<FileBatch | Refusal> {
  return scanRequest(body, TREE, ({ found }) => ({
    fileId: textAt(body, found[slots.fileId]?.at(-1)),
    endpoint: textAt(body, found[slots.endpoint]?.at(-1)),
  }));
}
