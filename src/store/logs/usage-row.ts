import type { Usage } from '../../kernel/usage.ts';
import { idNumber } from '../database.ts';

/** The columns of the call log that hold the usage of a call. */
export interface UsageColumns {
  readonly input_fresh: bigint;
  readonly cache_read: bigint;
  readonly cache_write: bigint;
  readonly output_text: bigint;
  readonly output_reasoning: bigint;
  readonly images: bigint;
  readonly videos: bigint;
}

export function usageFromRow(row: UsageColumns): Usage {
  return {
    inputFresh: idNumber(row.input_fresh),
    cacheRead: idNumber(row.cache_read),
    cacheWrite: idNumber(row.cache_write),
    outputText: idNumber(row.output_text),
    outputReasoning: idNumber(row.output_reasoning),
    images: idNumber(row.images),
    videos: idNumber(row.videos),
  };
}
