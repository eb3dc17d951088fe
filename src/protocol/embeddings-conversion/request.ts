import { isRefusal } from '../../kernel/errors.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { readWhole } from '../hub/content/value-budget.ts';
import { Inexpressible } from '../hub/notes.ts';

/** A request for vectors, in either form. It is plain data and never changes. */
export interface VectorRequest {
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
  /** OpenAI's clients may ask for base64 instead of numbers. */
  readonly format: 'float' | 'base64';
  /** Fields that the other form does not have. */
  readonly dropped: readonly string[];
}

const NO_RAW_KEYS: ReadonlySet<string> = new Set();

function readBody(body: Buffer): JsonObject {
  const object = readWhole(body, NO_RAW_KEYS);
  if (isRefusal(object)) throw new Inexpressible('body', object.message);
  return object;
}

/** Throws `Inexpressible` for what only the client's own vendor could understand. */
export function readOpenAiRequest(body: Buffer): VectorRequest {
  const { input, dimensions, encoding_format: format, user } = readBody(body);
  if (format !== undefined && format !== null && format !== 'float' && format !== 'base64') {
    throw new Inexpressible('encoding_format', 'must be "float" or "base64"');
  }
  const texts = typeof input === 'string' ? [input] : isArray(input) ? input.map(requireText) : [];
  if (texts.length === 0) throw new Inexpressible('input', 'must be a text or a list of texts');
  return {
    texts,
    dimensions: readDimensions(dimensions, 'dimensions'),
    format: format === 'base64' ? 'base64' : 'float',
    dropped: user === undefined || user === null ? [] : ['user'],
  };
}

function requireText(value: JsonValue, index: number): string {
  if (typeof value === 'string') return value;
  throw new Inexpressible(`input[${index}]`, 'only texts can be sent to this vendor, no ids of tokens');
}

function readDimensions(value: JsonValue | undefined, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new Inexpressible(field, 'must be a whole number above 0');
}

/** `batch`: the body has many requests, which must agree on everything but their texts. */
export function readGoogleRequest(body: Buffer, kind: 'one' | 'batch'): VectorRequest {
  const object = readBody(body);
  const requests = kind === 'one' ? [object] : isArray(object.requests) ? object.requests : [];
  if (requests.length === 0) throw new Inexpressible('requests', 'must be a list of requests');
  const read = requests.map((each, index) => readOne(each, kind === 'one' ? '' : `requests[${index}].`));
  const dimensions = read[0]?.dimensions;
  if (read.some((each) => each.dimensions !== dimensions)) {
    throw new Inexpressible('requests', 'this vendor takes one outputDimensionality for all of them');
  }
  return {
    texts: read.map(({ text }) => text),
    dimensions,
    format: 'float',
    dropped: [...new Set(read.flatMap(({ dropped }) => dropped))],
  };
}

interface OneText {
  readonly text: string;
  readonly dimensions: number | undefined;
  readonly dropped: readonly string[];
}

/** What only Google's models take into account. */
const HINTS: ReadonlySet<string> = new Set([
  'taskType',
  'task_type',
  'title',
  'autoTruncate',
  'auto_truncate',
]);

function readOne(request: JsonValue, at: string): OneText {
  const content = isObject(request) ? request.content : undefined;
  if (!isObject(request) || !isObject(content) || !isArray(content.parts)) {
    throw new Inexpressible(`${at}content`, 'needs parts');
  }
  const texts = content.parts.map((part, index) => {
    if (isObject(part) && typeof part.text === 'string') return part.text;
    throw new Inexpressible(`${at}content.parts[${index}]`, 'only text can be sent to this vendor');
  });
  const options = readOptions(request);
  const dimensions = options.outputDimensionality ?? options.output_dimensionality;
  return {
    text: texts.join('\n'),
    dimensions: readDimensions(dimensions, `${at}outputDimensionality`),
    dropped: Object.keys(options).filter((name) => HINTS.has(name) && isSet(options[name])),
  };
}

/** Options stand in the request itself, or in the place that is newer. */
function readOptions(request: JsonObject): JsonObject {
  const config = request.embedContentConfig ?? request.embed_content_config;
  return isObject(config) ? { ...request, ...config } : request;
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

export function writeOpenAiRequest({ texts, dimensions }: VectorRequest, model: string): Buffer {
  const size = dimensions === undefined ? {} : { dimensions };
  return Buffer.from(JSON.stringify({ model, input: texts, encoding_format: 'float', ...size }));
}

export function writeGoogleRequest({ texts, dimensions }: VectorRequest, model: string): Buffer {
  const name = model.includes('/') ? model : `models/${model}`;
  const size = dimensions === undefined ? {} : { outputDimensionality: dimensions };
  const requests = texts.map((text) => ({ model: name, content: { parts: [{ text }] }, ...size }));
  return Buffer.from(JSON.stringify({ requests }));
}
