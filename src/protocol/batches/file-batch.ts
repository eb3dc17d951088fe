import type { Refusal } from '../../kernel/errors.ts';
import { compilePaths } from '../bytes/paths.ts';
import { textAt } from '../bytes/text.ts';
import { scanRequest } from '../pass-through/request.ts';

/** A new batch in the form of OpenAI. What is `undefined` is missing or no text. */
export interface FileBatch {
  readonly fileId: string | undefined;
  readonly endpoint: string | undefined;
}

/** All members that the vendor knows: each comes once and in one spelling, because the bytes go on to it. */
const TREE = compilePaths({
  fileId: 'input_file_id',
  endpoint: 'endpoint',
  window: 'completion_window',
  metadata: 'metadata',
  expiry: 'output_expires_after',
  anchor: 'output_expires_after.anchor',
  seconds: 'output_expires_after.seconds',
});
const { slots } = TREE;

export function readFileBatch(body: Buffer): FileBatch | Refusal | Promise<FileBatch | Refusal> {
  return scanRequest(body, TREE, ({ found }) => ({
    fileId: textAt(body, found[slots.fileId]?.at(-1)),
    endpoint: textAt(body, found[slots.endpoint]?.at(-1)),
  }));
}
