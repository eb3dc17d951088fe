import type { PathTree } from '../bytes/paths.ts';
import { countElements, isOpenBracket, Skimmer } from '../bytes/skim.ts';
import { decodeText } from '../bytes/text.ts';
import type { RequestFacts } from '../dialect.ts';
import { TextSample } from './estimate.ts';
import { collectWords, compileWords, type WordSink, type Words } from './words.ts';

/** What a message's frame costs, and the start of the answer. */
const MESSAGE_TOKENS = 3;

/** How one protocol's request is counted: where its conversation stands and which keys hold text. */
export interface InputShape {
  readonly tree: PathTree<'messages'>;
  readonly words: Words;
  /** Where what counts as a picture may be a document in plain words (Messages): the keys of its words. */
  readonly document?: Words;
}

/** Tokens of a request's input, for when no vendor reported them; bounded by the tokenizer's sample. */
export function countInput(
  body: Buffer,
  shape: InputShape,
  { mediaTokens = 0 }: Pick<RequestFacts, 'mediaTokens'>,
): number {
  const sample = new TextSample();
  const sink = shape.document === undefined ? sample : new DocumentSink(sample, shape.document);
  collectWords({ bytes: body, start: 0, end: body.length }, shape.words, sink);
  const skimmer = new Skimmer(shape.tree);
  skimmer.run(body, 0, body.length);
  const messages = countMessages(body, skimmer.starts[shape.tree.slots.messages] as number);
  return sample.tokens() + mediaTokens + (messages + 1) * MESSAGE_TOKENS;
}

/** A conversation that is a single string counts as one message. */
function countMessages(bytes: Buffer, open: number): number {
  if (open < 0) return 0;
  if (!isOpenBracket(bytes, open)) return 1;
  return countElements(bytes, open);
}

const TYPES = compileWords({ text: ['type'] });
const FILE_TYPES: ReadonlySet<string> = new Set(['base64', 'url', 'file']);

/** Reads a document in plain words where a sample alone would see one picture. */
class DocumentSink implements WordSink {
  readonly #sample: TextSample;
  readonly #document: Words;

  constructor(sample: TextSample, document: Words) {
    this.#sample = sample;
    this.#document = document;
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#sample.text(bytes, start, end);
  }

  raw(bytes: Buffer, start: number, end: number): void {
    this.#sample.raw(bytes, start, end);
  }

  picture(bytes: Buffer, start: number, end: number): void {
    // What is a file was estimated when the request was read. No document stands in another one: the sources
    // in it are files, so nothing is read twice.
    if (!isFile(bytes, start, end)) collectWords({ bytes, start, end }, this.#document, this.#sample);
  }
}

/** Whether each type that is named in it is one of a file. */
function isFile(bytes: Buffer, start: number, end: number): boolean {
  let others = 0;
  const text: WordSink['text'] = (...type) => {
    if (!FILE_TYPES.has(decodeText(...type))) others++;
  };
  collectWords({ bytes, start, end }, TYPES, { text, raw: () => {}, picture: () => {} });
  return others === 0;
}
