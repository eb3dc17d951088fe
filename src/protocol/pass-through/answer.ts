import { IMAGES_PER_CALL_MAX } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { OUTLINED_BYTES_MIN } from '../bounds.ts';
import { QUOTE } from '../bytes/ascii.ts';
import { isBase64Run } from '../bytes/base64-run.ts';
import type { Outline } from '../bytes/outline.ts';
import { isWord, type Skimmer, skipSpace, withOutline } from '../bytes/skim.ts';
import { quoteModel, splice } from '../bytes/splice.ts';
import { decodeText } from '../bytes/text.ts';
import type { PlainAnswer } from '../dialect.ts';
import { GeneratedSample } from '../meter/estimate.ts';
import { countTokens } from '../meter/tokens.ts';
import type { Figures, Settled } from '../meter/usage-report.ts';
import { collectWords, type WordSink, type Words } from '../meter/words.ts';

/** Where a dialect's plain answer has the values that we need. The numbers are slots of its path tree. */
export interface AnswerShape {
  readonly skimmer: Skimmer;
  readonly model: number;
  readonly error: number;
  /** Any of these makes the object an answer of this dialect. */
  readonly signs: readonly number[];
  readonly words: Words;
  /** Reads the usage after the skimmer has processed the body. */
  figures(body: Buffer): Figures;
  settle(figures: Figures): Settled;
  /** The images in the body, after the skimmer has processed it. Absent if no answer has images. */
  images?(body: Buffer): number;
}

/** Reads a plain answer. It stays as it came, but with the platform's name for the model. */
export function readAnswer(body: Buffer, shape: AnswerShape, modelId: string): PlainAnswer {
  const { skimmer } = shape;
  const end = skimmer.run(body, 0, body.length);
  const isWhole = end >= 0 && skipSpace(body, end, body.length) === body.length;
  const isAnswer = shape.signs.some((slot) => (skimmer.starts[slot] as number) >= 0);
  const hasError = isPresent(body, skimmer, shape.error);
  const figures = shape.figures(body);
  const { usage, inputReported, outputReported } = shape.settle(figures);
  const model = skimmer.starts[shape.model] as number;
  const answer: PlainAnswer = {
    pieces: isWhole && body[model] === QUOTE ? withModel(body, skimmer, shape.model, modelId) : [body],
    usage: isWhole && inputReported && outputReported ? usage : undefined,
    figures,
    outputTokens: () => countOutput(body, shape.words),
    valid: isWhole && (isAnswer || hasError),
    isError: isWhole && hasError && !isAnswer,
  };
  const images = isWhole ? Math.min(shape.images?.(body) ?? 0, IMAGES_PER_CALL_MAX) : 0;
  return images === 0 ? answer : withImages(answer, images);
}

function notAnAnswer(body: Buffer): PlainAnswer {
  return { pieces: [body], usage: undefined, outputTokens: () => 0, valid: false, isError: false };
}

/**
 * The same for a large body, whose outline was made while it arrived. Missing usage is counted at once, while
 * the outline is at hand.
 */
export function readOutlined(
  body: Buffer,
  outline: Outline | undefined,
  read: () => PlainAnswer,
): PlainAnswer {
  if (outline === undefined) return read();
  // A body of nothing but blanks takes long to scan, and is not an answer.
  if (outline.absurd) return notAnAnswer(body);
  return withOutline(body, outline.ends, () => {
    const answer = read();
    const outputTokens = answer.usage === undefined && answer.valid ? answer.outputTokens() : 0;
    return { ...answer, outputTokens: () => outputTokens };
  });
}

function withImages(answer: PlainAnswer, images: number): PlainAnswer {
  const usage = answer.usage === undefined ? undefined : { ...answer.usage, images };
  return { ...answer, usage, images };
}

function withModel(body: Buffer, skimmer: Skimmer, slot: number, modelId: string): readonly Buffer[] {
  const at = { start: skimmer.starts[slot] as number, end: skimmer.ends[slot] as number };
  const bytes = quoteModel(modelId);
  return bytes.equals(body.subarray(at.start, at.end)) ? [body] : splice(body, [{ at, bytes }]);
}

function isPresent(bytes: LentBytes, skimmer: Skimmer, slot: number): boolean {
  const start = skimmer.starts[slot] as number;
  return start >= 0 && !isWord(bytes, start, skimmer.ends[slot] as number, 'null');
}

/** Collects all generated text. The caller's tokenizer samples it if it is long. */
class TextCollector implements WordSink {
  readonly texts: string[] = [];

  text(bytes: LentBytes, start: number, end: number): void {
    if (!isBase64Run(bytes, start, end)) this.texts.push(decodeText(bytes, start, end));
  }

  raw(bytes: LentBytes, start: number, end: number): void {
    // A line break outside a string is the vendor's formatting, with its indent. The model did not generate
    // it.
    this.texts.push(bytes.toString('utf8', start, end).replace(/\n\s*/g, ''));
  }

  picture(): void {}
}

/** Counts a large body by a sample, with its outline. */
function countOutput(bytes: LentBytes, words: Words): number {
  const text = { bytes, start: 0, end: bytes.length };
  if (bytes.length <= OUTLINED_BYTES_MIN) {
    const collector = new TextCollector();
    collectWords(text, words, collector);
    return countTokens(collector.texts.join(''));
  }
  const sample = new GeneratedSample();
  const stoppedAt = collectWords(text, words, sample);
  return Math.ceil((sample.tokens() * bytes.length) / Math.max(1, stoppedAt));
}
