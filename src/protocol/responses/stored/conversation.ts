import { type JsonObject, readJson, writeJson } from '../../hub/content/json.ts';
import { responsesCodec } from '../codec.ts';

/**
 * A conversation is stored in the form of a response: all of its items are input, and the object that
 * describes it has the place of the answer.
 */
export function packConversation(object: string | Buffer, items: readonly (string | Buffer)[]): Buffer {
  const pieces = ['{"input":[', ...items.flatMap((item, index) => (index === 0 ? [item] : [',', item]))];
  pieces.push('],"response":', object, '}');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** The item with an id: its own, or a new one. `undefined` if it is not an object. */
export function withItemId(item: string | JsonObject, newId: (type: string) => string): string | undefined {
  const read = typeof item === 'string' ? readJson(item, responsesCodec.rawKeys) : item;
  if (read === undefined) return undefined;
  const type = typeof read.type === 'string' ? read.type : 'message';
  return writeJson({ ...read, type, id: typeof read.id === 'string' ? read.id : newId(type) });
}
