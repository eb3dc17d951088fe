import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { JOB_ANSWER_BYTES_MAX } from './bounds.ts';

/** Whether a vendor said it. The page of a proxy says nothing about an object. */
export function isErrorObject(body: Buffer): boolean {
  const parsed = parseJson(body.toString('utf8'), { bytesMax: JOB_ANSWER_BYTES_MAX, depthMax: 32 });
  return parsed.kind === 'parsed' && isJsonObject(parsed.value);
}
