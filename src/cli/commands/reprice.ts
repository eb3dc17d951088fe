import { DOCTOR_TIMEOUT_MS } from '../../bounds.ts';
import { type Command, requiredOption } from '../command.ts';
import { given, TEXT } from '../listing.ts';
import { say, table } from '../table.ts';
import { atTerminal } from '../terminal.ts';

interface Sums {
  readonly calls: number;
  readonly refunded: string;
  readonly extra: string;
}

interface Answer {
  readonly from: string;
  readonly to: string;
  readonly dry_run: boolean;
  readonly read_calls: number;
  readonly not_offered_calls: number;
  readonly total: Sums & { readonly left: string };
  readonly accounts_total: number;
  readonly accounts: readonly (Sums & { readonly account_id: number; readonly email: string | null })[];
}

export const reprice: Command = {
  name: 'reprice',
  summary: 'Correct what past calls of a model were charged, by the catalogue as it is now.',
  usage: '--model ID --from TIME [--to TIME] --reason TEXT [--dry-run] [--charge-more] [--json]',
  options: {
    ...{ model: TEXT, from: TEXT, to: TEXT, reason: TEXT },
    ...{ 'dry-run': { type: 'boolean' }, 'charge-more': { type: 'boolean' }, json: { type: 'boolean' } },
  },
  help: [
    '--model ID       model of the catalogue that served the calls',
    '--from TIME      "YYYY-MM-DD hh:mm:ss", when the wrong price came',
    '--to TIME        when it was gone, by default now',
    '--reason TEXT    for the audit log',
    '--dry-run        only print what would be corrected',
    '--charge-more    also take what calls should have cost more, as far as the Credits of the account reach',
    '--json           print as JSON',
  ],
  notes: [
    'Correct the catalogue first. What was charged too much is given back in Credits, as an adjustment for each',
    'call. A second run corrects nothing twice.',
  ],
  run: (input) => {
    const body = {
      model_id: requiredOption(input, 'model'),
      ...{ from: requiredOption(input, 'from'), reason: requiredOption(input, 'reason') },
      ...given(input, ['to']),
      dry_run: input.values['dry-run'] === true,
      extra: input.values['charge-more'] === true ? 'take' : 'skip',
    };
    const work = async (terminal: Parameters<Parameters<typeof atTerminal>[1]>[0]): Promise<void> => {
      const answer = await terminal.data<Answer>('catalog.reprice', { body, options: { model_id: 'model' } });
      say(input, answer, lines(answer));
    };
    return atTerminal(input, work, DOCTOR_TIMEOUT_MS);
  },
};

function lines(answer: Answer): readonly string[] {
  const { total, accounts, accounts_total: many } = answer;
  const row = (name: string, { calls, refunded, extra }: Sums): readonly string[] => [
    name,
    ...[String(calls), refunded, extra],
  ];
  const rows = accounts.map((each) => row(each.email ?? `account ${each.account_id}`, each));
  const hidden = many > accounts.length ? [`${many - accounts.length} more accounts`] : [];
  return [
    `${answer.read_calls} calls from ${answer.from} to ${answer.to}`,
    ...table(['ACCOUNT', 'CALLS', 'CREDITS BACK', 'CREDITS TAKEN'], [...rows, row('all', total)]),
    ...hidden,
    ...(total.left === '0' ? [] : [`${total.left} Credits that calls should have cost more are not taken`]),
    ...(answer.not_offered_calls > 0
      ? [`${answer.not_offered_calls} calls stay as they are: the catalogue does not offer the model`]
      : []),
    answer.dry_run ? 'nothing was changed: this was a dry run' : 'done',
  ];
}
