import { NO_USAGE } from '../../kernel/usage.ts';
import type { UsageRule } from '../meter/meter.ts';
import { renewFigures, type Settled } from '../meter/usage-report.ts';
import { compileWords } from '../meter/words.ts';
import type { EventControl, EventReader } from './relay.ts';

/** No text is generated: the input is charged, and units of another kind if the vendor counts some. */
export const INPUT_ONLY_RULE: UsageRule = {
  merge: renewFigures,
  settle: ({ input, output }): Settled => ({
    usage: { ...NO_USAGE, inputFresh: input ?? 0, outputText: output ?? 0 },
    inputReported: input !== undefined,
    outputReported: true,
  }),
  words: compileWords({ text: [] }),
};

/** For a protocol without streams: a vendor that sends events all the same has not answered. */
export class NoStreamReader implements EventReader {
  readonly rule = INPUT_ONLY_RULE;
  readonly nextSequenceNumber = undefined;
  readonly ended = false;
  readonly reasoned = false;

  read(...[, , , outlet]: [unknown, unknown, unknown, EventControl]): void {
    outlet.fail();
  }
}
