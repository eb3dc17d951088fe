import { REPORTED_TOKENS_MAX } from '../../bounds.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { reportedFigure } from '../bytes/number.ts';
import type { Skimmer } from '../bytes/skim.ts';
import type { UsageRule } from '../meter/meter.ts';
import { type Figures, renewFigures, type Settled } from '../meter/usage-report.ts';
import { compileWords } from '../meter/words.ts';

export const TRANSCRIPT_USAGE_PATHS = {
  input: 'usage.input_tokens',
  output: 'usage.output_tokens',
  seconds: 'usage.seconds',
  // The detailed form has the length of the sound beside its text.
  duration: 'duration',
} as const;

/** Models that count seconds and never tokens, at any vendor. */
const SECONDS_MODEL = /whisper/i;

export function countsSeconds(vendorModel: string): boolean {
  return SECONDS_MODEL.test(vendorModel);
}

type Slots = Readonly<Record<keyof typeof TRANSCRIPT_USAGE_PATHS, number>>;

/** Tokens where the vendor counts them. Otherwise begun seconds, each of which counts as one input token. */
export function readTranscriptFigures(bytes: LentBytes, skimmer: Skimmer, slots: Slots): Figures {
  const input = reportedFigure(bytes, skimmer, slots.input);
  if (input !== undefined) return { input, output: reportedFigure(bytes, skimmer, slots.output) ?? 0 };
  const seconds = readSeconds(bytes, skimmer, slots.seconds) ?? readSeconds(bytes, skimmer, slots.duration);
  return seconds === undefined ? {} : { input: seconds, output: 0 };
}

/** Some vendors write the length as a text. */
const SECONDS = /^"?(\d{1,9}(?:\.\d{1,20})?)"?$/;
const SECONDS_TEXT_MAX = 32;

function readSeconds(bytes: LentBytes, { starts, ends }: Skimmer, slot: number): number | undefined {
  const start = starts[slot] as number;
  const end = ends[slot] as number;
  if (start < 0 || end - start > SECONDS_TEXT_MAX) return undefined;
  const [, text] = SECONDS.exec(bytes.toString('latin1', start, end)) ?? [];
  const seconds = text === undefined ? Number.NaN : Math.ceil(Number(text));
  return seconds <= REPORTED_TOKENS_MAX ? seconds : undefined;
}

export const TRANSCRIPT_USAGE_RULE: UsageRule = {
  merge: renewFigures,
  settle: ({ input, output }): Settled => ({
    usage: { ...NO_USAGE, inputFresh: input ?? 0, outputText: output ?? 0 },
    inputReported: input !== undefined,
    outputReported: output !== undefined,
  }),
  words: compileWords({ text: ['delta'] }),
};
