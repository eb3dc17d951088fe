import type { ByteRange, RequestFacts } from '../dialect.ts';
import { OPEN_BRACE } from './ascii.ts';

export interface Edit {
  readonly at: ByteRange;
  readonly bytes: Buffer;
}

/** The pieces of `source` with every edit applied. The pieces between edits are views of the source. */
export function splice(source: Buffer, edits: readonly Edit[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  const inOrder = edits.length > 1 ? edits.toSorted((one, other) => one.at.start - other.at.start) : edits;
  for (const { at, bytes } of inOrder) {
    if (at.start > from) pieces.push(source.subarray(from, at.start));
    if (bytes.length > 0) pieces.push(bytes);
    from = at.end;
  }
  if (from < source.length) pieces.push(source.subarray(from));
  return pieces;
}

/** Catalogues have few models. If too many names arrive, the cache is emptied. */
const quotedModels = new Map<string, Buffer>();
const QUOTED_MODELS_MAX = 1_000;

/** A model's name as a JSON string. */
export function quoteModel(model: string): Buffer {
  let quoted = quotedModels.get(model);
  if (quoted === undefined) {
    quoted = Buffer.from(JSON.stringify(model));
    if (quotedModels.size >= QUOTED_MODELS_MAX) quotedModels.clear();
    quotedModels.set(model, quoted);
  }
  return quoted;
}

/**
 * The client's body with the model replaced and `include_usage` inserted, or the body itself if neither is
 * needed.
 */
export function spliceModel(body: Buffer, facts: RequestFacts, forwardModel: string): readonly Buffer[] {
  const edits: Edit[] = [];
  if (facts.modelRanges.length > 1 || facts.model !== forwardModel) {
    const bytes = quoteModel(forwardModel);
    for (const at of facts.modelRanges) edits.push({ at, bytes });
  }
  const { usageSplice } = facts;
  if (usageSplice !== undefined) edits.push({ at: usageSplice.at, bytes: Buffer.from(usageSplice.text) });
  return edits.length === 0 ? [body] : splice(body, edits);
}

/** An object without a model, with this model as its first member. */
export function insertModel(body: Buffer, model: string): readonly Buffer[] {
  const at = body.indexOf(OPEN_BRACE) + 1;
  const member = Buffer.concat([Buffer.from('"model":'), quoteModel(model), Buffer.from(',')]);
  return splice(body, [{ at: { start: at, end: at }, bytes: member }]);
}
