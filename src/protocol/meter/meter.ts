import { IMAGES_PER_CALL_MAX } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { StreamUsage } from '../dialect.ts';
import { Estimate } from './estimate.ts';
import type { Figures, Settled } from './usage-report.ts';
import type { Words } from './words.ts';

/**
 * How one protocol's usage is read: which of several reports counts, what overlaps, where generated text is.
 */
export interface UsageRule {
  merge(before: Figures, after: Figures): Figures;
  settle(figures: Figures): Settled;
  readonly words: Words;
}

/**
 * The usage of one stream so far. Text is counted only when needed, and not at all if the usage was reported.
 */
export class Meter {
  #images = 0;
  readonly #rule: UsageRule;
  readonly #estimate: Estimate;
  #figures: Figures = {};
  /** Some report covered the output before it, so only later output is estimated. */
  #isCovered = false;

  constructor(rule: UsageRule) {
    this.#rule = rule;
    this.#estimate = new Estimate(rule.words);
  }

  /** Generated content is at this range of an event's bytes. */
  note(payload: LentBytes, start: number, end: number): void {
    this.#estimate.note(payload, start, end);
  }

  /** The characters of a generated string are at this range. */
  noteText(payload: LentBytes, start: number, end: number): void {
    this.#estimate.noteText(payload, start, end);
  }

  /** One more image is finished. */
  image(): void {
    if (this.#images < IMAGES_PER_CALL_MAX) this.#images++;
  }

  report(figures: Figures): void {
    this.#figures = this.#rule.merge(this.#figures, figures);
  }

  /** The last reported figures cover all output generated so far. */
  cover(): void {
    this.#isCovered = true;
    this.#estimate.clear();
  }

  /** The figures are complete, and nothing was generated since. Does not count. */
  get reported(): boolean {
    if (!this.#isCovered || !this.#estimate.isEmpty) return false;
    const { inputReported, outputReported } = this.#rule.settle(this.#figures);
    return inputReported && outputReported;
  }

  usage(): StreamUsage {
    return this.#complete(this.#estimate.tokens());
  }

  /** The reported figures, plus the counted output that they do not cover. */
  #complete(counted: number): StreamUsage {
    const { usage, inputReported, outputReported } = this.#rule.settle(this.#figures);
    const reported = usage.outputText + usage.outputReasoning;
    const isCovered = this.#isCovered && outputReported;
    // A report that does not cover the output is only a lower bound.
    const missing = isCovered ? counted : Math.max(0, counted - reported);
    return {
      usage: { ...usage, outputText: usage.outputText + missing, images: this.#images },
      estimated: !inputReported || !isCovered || missing > 0,
      inputReported,
    };
  }
}
