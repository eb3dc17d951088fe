import type { Route } from '../../catalog/contract.ts';
import type { StoredFile } from '../../jobs/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { readFileBatch } from '../../protocol/batches/file-batch.ts';
import { BATCH_PATHS, batchProtocol } from '../../protocol/batches/item.ts';
import { batchFacts } from '../../protocol/batches/sum.ts';
import type { RawRequest, RequestFacts } from '../../protocol/dialect.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';
import { isOwn } from '../attempt/attempt-context.ts';
import type { Call } from '../call.ts';
import type { Endpoint } from '../endpoints/find.ts';
import { unknown, wrong } from '../endpoints/stored-answer.ts';
import { BATCH_BODY_BYTES_MAX } from './bounds.ts';

/** A batch in the form of OpenAI: its requests are in a file, which was counted when it was uploaded. */
export function isFileBatch({ action, protocol }: Endpoint): boolean {
  return action === 'batch' && protocol !== 'messages';
}

export interface LoadedBatch {
  readonly facts: RequestFacts;
  /** Only the credential that has the file can serve the call. */
  readonly only: (route: Route) => boolean;
}

/** Finds the file of a new batch, and with it the model and the most that the batch may use. */
export async function loadBatch(
  call: Call,
  { body }: RawRequest,
  { files }: Pick<GatewayDeps, 'files'>,
): Promise<LoadedBatch | Refusal> {
  if (body.length > BATCH_BODY_BYTES_MAX) return refuse('bodyTooLarge', { message: TOO_LARGE });
  const read = await readFileBatch(body);
  if (isRefusal(read)) return read;
  const { fileId: id, endpoint } = read;
  if (id === undefined) return wrong('input_file_id', 'must be the id of a file');
  const protocol = endpoint === undefined ? undefined : batchProtocol(endpoint);
  if (protocol === undefined) return wrong('endpoint', `must be one of ${BATCH_PATHS.join(', ')}`);
  const file = await files.find(call.caller.account.id, id);
  // The message is logged with the call, so it does not repeat what the client sent.
  if (file === undefined) return unknown('No such File object: the account has no file with this id.');
  if (file.items === 0) return wrong('input_file_id', 'must be a file with requests');
  if (file.protocol !== protocol) return wrong('endpoint', 'must be the "url" of the requests in the file');
  call.endpoint = { ...call.endpoint, protocol };
  return { facts: batchFacts(file, 'batch'), only: (route) => isOfFile(route, file) };
}

const TOO_LARGE = `The request for a batch has at most ${BATCH_BODY_BYTES_MAX} bytes`;

function isOfFile(route: Route, { model, credential, own }: StoredFile): boolean {
  return route.modelId === model && route.credential.name === credential && (isOwn(route) === true) === own;
}
