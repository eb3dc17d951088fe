import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { showText } from '../bytes/text.ts';
import type { RequestFacts } from '../dialect.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { BATCH_TOKENS_MAX } from './bounds.ts';
import type { BatchItem } from './item.ts';

/** What the requests of a batch may use, added up while they are read. */
export class BatchSum {
  items = 0;
  inputTokens = 0;
  outputTokens = 0;
  /** Answers of requests that do not limit their output: each may be as long as the model's longest. */
  openAnswers = 0;
  model = '';
  protocol: Protocol | undefined;
  readonly #itemsMax: number;

  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax;
  }

  add({ protocol, facts }: BatchItem): Refusal | undefined {
    if (this.items === 0) {
      this.model = facts.model;
      this.protocol = protocol;
    }
    if (facts.model !== this.model) return refuseModels(this.model, facts.model);
    if (protocol !== this.protocol) {
      return refuse('notExpressible', { message: 'All requests of a batch have the same "url"' });
    }
    if (this.items === this.#itemsMax) {
      return refuse('notExpressible', { message: `A batch has at most ${this.#itemsMax} requests` });
    }
    this.items += 1;
    this.inputTokens += facts.inputTokensEstimate;
    const { outputTokensMax, answers } = facts;
    if (facts.isFixed === true || outputTokensMax !== undefined) {
      this.outputTokens += (outputTokensMax ?? 0) * answers;
    } else this.openAnswers += answers;
    return this.#refuseHuge();
  }

  /** The longest answer of the model is known. */
  closeAnswers(longestTokens: number): Refusal | undefined {
    this.outputTokens += this.openAnswers * longestTokens;
    this.openAnswers = 0;
    return this.#refuseHuge();
  }

  #refuseHuge(): Refusal | undefined {
    return this.inputTokens + this.outputTokens > BATCH_TOKENS_MAX ? TOO_MANY_TOKENS : undefined;
  }
}

const TOO_MANY_TOKENS = refuse('notExpressible', {
  message: `All requests of a batch may use at most ${BATCH_TOKENS_MAX} tokens, their limits of output included`,
});

function refuseModels(first: string, other: string): Refusal {
  const both = `${showText(first)} and ${showText(other)}`;
  return refuse('notExpressible', { message: `All requests of a batch name the same model, not ${both}` });
}

/** In the form of OpenAI, or of Anthropic. */
export type BatchKind = 'batch' | 'message-batch';

/** The most that a batch may use. */
export type BatchSize = Pick<BatchSum, 'model' | 'inputTokens' | 'outputTokens'>;

/** A batch as one request: all of it is held, and nothing of it is charged before it ends. */
export function batchFacts({ model, inputTokens, outputTokens }: BatchSize, job: BatchKind): RequestFacts {
  return {
    ...INPUT_ONLY,
    model,
    modelRanges: [],
    outputTokensMax: outputTokens,
    inputTokensEstimate: inputTokens,
    inputTokensLikely: 0,
    job,
  };
}
