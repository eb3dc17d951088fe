import { parseJson } from '../../kernel/encoding/json.ts';
import { listElements } from '../bytes/elements.ts';
import { readFigure } from '../bytes/number.ts';
import { compilePaths, type PathTree } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import type { Sliced } from '../bytes/slices.ts';

/** The vectors of an answer, in the order of the texts. Each is a list of numbers as the vendor wrote it. */
export type Vectors = readonly Buffer[];

interface Form {
  readonly tree: PathTree<'list'>;
  readonly vector: string;
  readonly index: string;
}

const OPENAI: Form = { tree: compilePaths({ list: 'data' }), vector: 'embedding', index: 'index' };
const GOOGLE: Form = { tree: compilePaths({ list: 'embeddings' }), vector: 'values', index: 'index' };
export const FORMS = { embeddings: OPENAI, 'gemini-embeddings': GOOGLE } as const;

/** `undefined` if an element has no list of numbers, or if the numbers of elements and texts differ. */
export function* readVectors(body: Buffer, form: Form, texts: number): Sliced<Vectors | undefined> {
  const outer = new Skimmer(form.tree);
  if (outer.run(body, 0, body.length) < 0) return undefined;
  const at = form.tree.slots.list;
  const [start = -1, end = -1] = [outer.starts[at], outer.ends[at]];
  if (start < 0) return undefined;
  yield;
  const elements = listElements(body, { start, end });
  if (elements.length !== texts) return undefined;
  const vectors: Buffer[] = [];
  const inner = new Skimmer(compilePaths({ vector: form.vector, index: form.index }));
  for (const [place, element] of elements.entries()) {
    yield;
    if (inner.run(body, element.start, element.end) < 0) return undefined;
    const [from = -1, position = -1] = inner.starts;
    const [to = -1, positionEnd = -1] = inner.ends;
    if (from < 0 || !isNumbers(body.subarray(from, to))) return undefined;
    const index = position < 0 ? place : (readFigure(body, position, positionEnd, texts - 1) ?? place);
    vectors[index] = body.subarray(from, to);
  }
  for (let index = 0; index < texts; index++) if (vectors[index] === undefined) return undefined;
  return vectors;
}

/** The engine proves that the bytes are a list of numbers. They are passed on as they are. */
function isNumbers(bytes: Buffer): boolean {
  return parseNumbers(bytes) !== undefined;
}

/** A vector is one list. The longest ones have a few thousand numbers. */
const VECTOR_BOUNDS = { bytesMax: 1024 * 1024, depthMax: 1 };

function parseNumbers(bytes: Buffer): readonly number[] | undefined {
  const parsed = parseJson(bytes.toString('latin1'), VECTOR_BOUNDS);
  if (parsed.kind === 'invalid' || !Array.isArray(parsed.value)) return undefined;
  return parsed.value.every((each) => typeof each === 'number') ? parsed.value : undefined;
}

/** What stands around the vectors in an answer of ours. */
export interface VectorAnswer {
  readonly modelId: string;
  readonly inputTokens: number;
}

export function* writeOpenAiAnswer(
  vectors: Vectors,
  format: 'float' | 'base64',
  { modelId, inputTokens }: VectorAnswer,
): Sliced<readonly Buffer[]> {
  const pieces: Buffer[] = [Buffer.from('{"object":"list","data":[')];
  for (const [index, vector] of vectors.entries()) {
    const comma = index === 0 ? '' : ',';
    pieces.push(Buffer.from(`${comma}{"object":"embedding","index":${index},"embedding":`));
    pieces.push(format === 'float' ? vector : encodeBase64(vector), Buffer.from('}'));
    if (format === 'base64') yield;
  }
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens };
  pieces.push(Buffer.from(`],"model":${JSON.stringify(modelId)},"usage":${JSON.stringify(usage)}}`));
  return pieces;
}

/** Four bytes for each number, the lowest first, as OpenAI's clients read them. */
function encodeBase64(vector: Buffer): Buffer {
  const numbers = parseNumbers(vector) ?? [];
  const bytes = Buffer.allocUnsafe(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * 4);
  return Buffer.from(`"${bytes.toString('base64')}"`);
}

export function writeGoogleAnswer(
  vectors: Vectors,
  kind: 'one' | 'batch',
  { inputTokens }: VectorAnswer,
): readonly Buffer[] {
  const usage = JSON.stringify({ promptTokenCount: inputTokens, totalTokenCount: inputTokens });
  const pieces: Buffer[] = [Buffer.from(kind === 'one' ? '{"embedding":' : '{"embeddings":[')];
  for (const [index, vector] of vectors.entries()) {
    pieces.push(Buffer.from(`${index === 0 ? '' : ','}{"values":`), vector, Buffer.from('}'));
  }
  pieces.push(Buffer.from(`${kind === 'one' ? '' : ']'},"usageMetadata":${usage}}`));
  return pieces;
}
