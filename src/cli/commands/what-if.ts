import { readCatalogFile } from '../../setup.ts';
import { type Command, requiredOption } from '../command.ts';
import { given, TEXT } from '../listing.ts';
import { say, table } from '../table.ts';
import { atTerminal } from '../terminal.ts';

interface Money {
  readonly revenue: string;
  readonly cost: string;
  readonly margin: string;
}

interface Compared {
  readonly calls: number;
  readonly was: Money;
  readonly would_be: Money;
  readonly difference: Money;
}

export interface WhatIfAnswer {
  readonly from: string;
  readonly to: string;
  readonly truncated: boolean;
  readonly priced_from: string | null;
  readonly total: Compared;
  readonly models: readonly (Compared & { readonly model_id: string })[];
}

export const whatIf: Command = {
  name: 'what-if',
  summary: 'Price past calls with a catalogue file, and compare with what they were charged.',
  usage: '-f FILE [--exact] [--from TIME] [--to TIME] [--json]',
  options: {
    file: { type: 'string', short: 'f' },
    exact: { type: 'boolean' },
    whole: { type: 'boolean' },
    from: TEXT,
    to: TEXT,
    json: { type: 'boolean' },
  },
  help: [
    '-f, --file FILE  catalogue file, YAML',
    '--exact          the catalogue is exactly the file; --whole is an older name for it',
    '--from TIME      "YYYY-MM-DD hh:mm:ss", by default the start of yesterday',
    '--to TIME        by default the end of yesterday',
    '--json           print as JSON',
  ],
  run: (input) => {
    const file = requiredOption(input, 'file');
    return atTerminal(input, async (terminal) => {
      const { exact, whole } = input.values;
      const extent = exact === true || whole === true ? 'whole' : 'part';
      const body = { yaml: readCatalogFile(file), extent, ...given(input, ['from', 'to']) };
      const answer = await terminal.data<WhatIfAnswer>('catalog.whatIf', { body });
      say(input, answer, whatIfLines(answer));
    });
  },
};

export function whatIfLines(answer: WhatIfAnswer): readonly string[] {
  const row = (name: string, { calls, was, would_be: after, difference }: Compared): readonly string[] => [
    name,
    String(calls),
    was.revenue,
    after.revenue,
    difference.revenue,
    difference.cost,
    difference.margin,
  ];
  const headings = ['MODEL', 'CALLS', 'REVENUE', 'WOULD BE', 'DIFFERENCE', 'COST +', 'MARGIN +'];
  const rows = [...answer.models.map((each) => row(each.model_id, each)), row('all', answer.total)];
  const missing = answer.truncated ? [`only the calls from ${answer.priced_from} on were priced`] : [];
  return [`calls from ${answer.from} to ${answer.to}`, ...table(headings, rows), ...missing];
}
