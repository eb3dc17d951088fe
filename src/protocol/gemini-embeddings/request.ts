import { MODEL_NAME_LENGTH_MAX } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { sameBytes } from '../bytes/paths.ts';
import type { ItemWatch, JsonScan } from '../bytes/scan.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
import { isNamed } from '../gemini/pass-through/request.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { compileMediaKeys } from '../media/finder.ts';
import { inputFacts } from '../meter/input-estimate.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import { scanRequest } from '../pass-through/request.ts';

const TREE = compileMembers({
  model: ['model', 'any'],
  requests: ['requests', 'list'],
  content: ['content', 'object'],
});
const { slots } = TREE;
export const GEMINI_EMBEDDINGS_MEMBERS = TREE.members;
const MEDIA = compileMediaKeys({
  raw: [],
  part: ['inlineData', 'inline_data', 'fileData', 'file_data'],
  inner: ['data', 'fileUri', 'file_uri'],
});
const MODEL = Buffer.from('model');

/** Each request of a batch names its model. */
class ModelWatch implements ItemWatch {
  readonly list = slots.requests;
  readonly ranges: ByteRange[] = [];
  hasEscapedKey = false;
  #isModel = false;

  key(bytes: Buffer, start: number, end: number): void {
    this.#isModel = end - start === MODEL.length && sameBytes(MODEL, bytes, start);
  }

  escapedKey(): void {
    this.#isModel = false;
    this.hasEscapedKey = true;
  }

  value(_bytes: Buffer, start: number, end: number): void {
    if (this.#isModel) this.ranges.push({ start, end });
    this.#isModel = false;
  }

  end(): void {
    this.#isModel = false;
  }
}

export function readGeminiEmbeddingsRequest({
  path,
  body,
}: RawRequest): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  assert(path !== undefined, 'embedContent carries its model in the path');
  const { model } = path;
  if (model === '' || model.length > MODEL_NAME_LENGTH_MAX) return refuse('modelMissing');
  const items = new ModelWatch();
  return scanRequest(body, TREE, (scan) => readFacts(body, scan, { model, items }), { media: MEDIA, items });
}

function readFacts(
  body: Buffer,
  scan: JsonScan,
  { model, items }: { readonly model: string; readonly items: ModelWatch },
): RequestFacts | Refusal {
  if (items.hasEscapedKey) return refuse('bodyNotJson', { message: 'A key of a request has escapes' });
  const modelRanges = [...(scan.found[slots.model] ?? []), ...items.ranges];
  if (!modelRanges.every((range) => isNamed(body, range, model))) {
    return refuse('bodyNotJson', { message: '"model" in the body differs from the model in the path' });
  }
  const input = inputFacts(body, scan, { protocol: 'gemini-embeddings', model });
  return { model, modelRanges, ...INPUT_ONLY, ...input };
}
