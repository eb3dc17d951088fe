/** The command line of the benchmark. */
import { parseArgs } from 'node:util';

export interface Options {
  readonly length: 'full' | 'quick';
  readonly targets: readonly string[] | undefined;
  readonly scenarios: readonly string[] | undefined;
  readonly repeats: number | undefined;
  readonly jsonFile: string | undefined;
}

export const USAGE = `node bench/run.ts [--quick] [--only tollgate,bare] [--scenarios json-small,stream-paced]
                   [--repeats 5] [--json results.json]`;

export function readOptions(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      scenarios: { type: 'string' },
      repeats: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const repeats = values.repeats === undefined ? undefined : Number(values.repeats);
  if (repeats !== undefined && !(Number.isInteger(repeats) && repeats > 0)) {
    throw new Error('--repeats takes a whole number above 0');
  }
  return {
    length: values.quick ? 'quick' : 'full',
    targets: values.only?.split(','),
    scenarios: values.scenarios?.split(','),
    repeats,
    jsonFile: values.json,
  };
}
