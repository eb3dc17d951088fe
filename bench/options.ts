/** The command line of the benchmark. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  readonly length: 'full' | 'quick';
  readonly targets: readonly string[] | undefined;
  readonly scenarios: readonly string[] | undefined;
  readonly repeats: number | undefined;
  readonly jsonFile: string | undefined;
  /** Write docs/performance.md from these files of results, and measure nothing. */
  readonly document: readonly string[] | undefined;
  /** The result of a soak for that page. */
  readonly soak: string | undefined;
  /** The result of `bench:ledger` for that page. */
  readonly ledger: string | undefined;
}

const USAGE = `node bench/run.ts [--quick] [--only tollgate,bare] [--scenarios json-small,growth] [--repeats 5]
                   [--json results.json] [--document [--soak soak.json] [--ledger ledger.json]]`;
const RESULTS = join(import.meta.dirname, 'results');

export function readOptions(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      scenarios: { type: 'string' },
      repeats: { type: 'string' },
      json: { type: 'string' },
      document: { type: 'boolean', default: false },
      soak: { type: 'string' },
      ledger: { type: 'string' },
    },
  });
  const repeats = values.repeats === undefined ? undefined : Number(values.repeats);
  if (repeats !== undefined && !(Number.isInteger(repeats) && repeats > 0)) {
    throw new Error(`--repeats takes a whole number above 0; ${USAGE}`);
  }
  return {
    length: values.quick ? 'quick' : 'full',
    targets: values.only?.split(','),
    scenarios: values.scenarios?.split(','),
    repeats,
    jsonFile: values.json,
    document: values.document ? (values.json?.split(',') ?? [newestResults()]) : undefined,
    soak: values.soak,
    ledger: values.ledger,
  };
}

/** Their names begin with the time, so the last one is the newest. */
function newestResults(): string {
  const newest = readdirSync(RESULTS)
    .filter((name) => /^\d{4}-.*\.json$/.test(name))
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error('there are no results yet: run the benchmark first');
  return join(RESULTS, newest);
}
