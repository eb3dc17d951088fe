import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { PathTree } from '../bytes/paths.ts';
import { countElements, isOpenBracket, Skimmer } from '../bytes/skim.ts';
import { decodeText } from '../bytes/text.ts';
import type { CountedFacts, RequestFacts } from '../dialect.ts';
import { TextSample } from './estimate.ts';
import { collectWords, compileWords, type WordSink, type Words } from './words.ts';

/** The overhead of a message, and the start of the answer. */
const MESSAGE_TOKENS = 3;

/** How one protocol's request is counted: where its conversation is and which keys hold text. */
export interface InputShape {
  readonly tree: PathTree<'messages'>;
  readonly words: Words;
  /**
   * Messages: a value that counts as an image may be a plain-text document. These are the keys of its text.
   */
  readonly document?: Words;
}

/** Counts the input tokens of a request if no vendor reported them. Limited by the tokenizer's sample. */
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

/**
 * Counts the texts of a request that is no conversation, and its files as estimated. Ids of tokens are no
 * texts: they were counted when the request was read.
 */
export function countTexts(
  body: Buffer,
  words: Words,
  { mediaTokens = 0, inputTokensLikely }: CountedFacts,
): number {
  const sample = new TextSample();
  collectWords({ bytes: body, start: 0, end: body.length }, words, sample);
  const tokens = sample.tokens() + mediaTokens;
  return tokens === 0 ? (inputTokensLikely ?? 0) : tokens;
}

/** A conversation that is a single string counts as one message. */
function countMessages(bytes: LentBytes, open: number): number {
  if (open < 0) return 0;
  if (!isOpenBracket(bytes, open)) return 1;
  return countElements(bytes, open);
}

const TYPES = compileWords({ text: ['type'] });
const FILE_TYPES: ReadonlySet<string> = new Set(['base64', 'url', 'file']);

/** Reads the text of a plain-text document, which a sample alone would count as one image. */
class DocumentSink implements WordSink {
  readonly #sample: TextSample;
  readonly #document: Words;

  constructor(sample: TextSample, document: Words) {
    this.#sample = sample;
    this.#document = document;
  }

  text(bytes: LentBytes, start: number, end: number): void {
    this.#sample.text(bytes, start, end);
  }

  raw(bytes: LentBytes, start: number, end: number): void {
    this.#sample.raw(bytes, start, end);
  }

  picture(bytes: LentBytes, start: number, end: number): void {
    // Files were estimated when the request was read. Documents are not nested: sources inside one are files,
    // so nothing is counted twice.
    if (!isFile(bytes, start, end)) collectWords({ bytes, start, end }, this.#document, this.#sample);
  }
}

/** Whether every type in it is a file type. */
function isFile(bytes: LentBytes, start: number, end: number): boolean {
  let others = 0;
  const text: WordSink['text'] = (...type) => {
    if (!FILE_TYPES.has(decodeText(...type))) others++;
  };
  collectWords({ bytes, start, end }, TYPES, { text, raw: () => {}, picture: () => {} });
  return others === 0;
}
