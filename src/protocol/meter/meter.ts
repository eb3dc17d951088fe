import { IMAGES_PER_CALL_MAX } from '../../bounds.ts';
import type { StreamUsage } from '../dialect.ts';
import { Estimate } from './estimate.ts';
import type { Figures, Settled } from './usage-report.ts';
import type { Words } from './words.ts';

/**
 * How one protocol's reports are read: which of several counts, what overlaps, where the generated text is.
 */
export interface UsageRule {
  merge(before: Figures, after: Figures): Figures;
  settle(figures: Figures): Settled;
  readonly words: Words;
}

/** Usage of one stream so far. Counting is put off until somebody asks, and left out when it was reported. */
export class Meter {
  #images = 0;
  readonly #rule: UsageRule;
  readonly #estimate: Estimate;
  #figures: Figures = {};
  /** Some report covered the output before it, so only what came after is estimated. */
  #isCovered = false;

  constructor(rule: UsageRule) {
    this.#rule = rule;
    this.#estimate = new Estimate(rule.words);
  }

  /** Something the model generated stands at this range of an event's bytes. */
  note(payload: Buffer, start: number, end: number): void {
    this.#estimate.note(payload, start, end);
  }

  /** The characters of a generated string stand at this range. */
  noteText(payload: Buffer, start: number, end: number): void {
    this.#estimate.noteText(payload, start, end);
  }

  /** One more picture is finished. */
  image(): void {
    if (this.#images < IMAGES_PER_CALL_MAX) this.#images++;
  }

  report(figures: Figures): void {
    this.#figures = this.#rule.merge(this.#figures, figures);
  }

  /** The figures reported last hold all output generated so far. */
  cover(): void {
    this.#isCovered = true;
    this.#estimate.clear();
  }

  /** The figures are whole, and nothing was generated since. Counts nothing. */
  get reported(): boolean {
    if (!this.#isCovered || !this.#estimate.isEmpty) return false;
    const { inputReported, outputReported } = this.#rule.settle(this.#figures);
    return inputReported && outputReported;
  }

  usage(): StreamUsage {
    return this.#complete(this.#estimate.tokens());
  }

  /** The reports, and of what was counted the part they leave out. */
  #complete(counted: number): StreamUsage {
    const { usage, inputReported, outputReported } = this.#rule.settle(this.#figures);
    const reported = usage.outputText + usage.outputReasoning;
    const isCovered = this.#isCovered && outputReported;
    // Without a covering report the vendor's figure is a beginning.
    const missing = isCovered ? counted : Math.max(0, counted - reported);
    return {
      usage: { ...usage, outputText: usage.outputText + missing, images: this.#images },
      estimated: !inputReported || !isCovered || missing > 0,
      inputReported,
    };
  }
}
