import type { JsonObject } from '../../hub/content/json.ts';
import type { Notes } from '../../hub/notes.ts';
import type { CacheMark } from '../../hub/part.ts';
import { objectField, textField } from '../fields.ts';

/** The path of a block in the client's body, and the loss report. */
export interface BlockPlace {
  readonly path: string;
  readonly notes: Notes;
}

export function decodeMark(block: JsonObject, path: string): CacheMark | undefined {
  const mark = objectField(block, 'cache_control', path);
  if (mark === undefined) return undefined;
  const ttl = textField(mark, 'ttl', `${path}.cache_control`);
  return ttl === undefined ? {} : { ttl };
}
