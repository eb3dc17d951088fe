import { REASON_LENGTH_MAX } from '../../bounds.ts';
import { type Command, type CommandInput, stringOption, UsageError } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, given, JSON_HELP, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';

const MOVE = {
  usage: '--account EMAIL (--balance AMOUNT | --credits AMOUNT) --reason TEXT [--json]',
  options: { ...ACCOUNT_OPTION, balance: TEXT, credits: TEXT, reason: TEXT },
};

export const accountTopUp: Command = {
  ...MOVE,
  name: 'account top-up',
  summary: 'Add balance or Credits to an account, as one ledger entry.',
  help: [
    ACCOUNT_HELP,
    '--balance AMOUNT  yuan to add, e.g. 12.50',
    '--credits AMOUNT  Credits to add, e.g. 1000',
    `--reason TEXT    e.g. an order number; up to ${REASON_LENGTH_MAX} characters, recorded in the ledger`,
    JSON_HELP,
  ],
  run: (input) => moveMoney(input, 'accounts.topUp'),
};

export const accountAdjust: Command = {
  ...MOVE,
  name: 'account adjust',
  summary: 'Increase or reduce the balance or Credits of an account; never below zero.',
  help: [
    ACCOUNT_HELP,
    '--balance AMOUNT  change in yuan, e.g. 12.50, or --balance=-12.50',
    '--credits AMOUNT  change in Credits, e.g. 100, or --credits=-100',
    `--reason TEXT    reason, up to ${REASON_LENGTH_MAX} characters; recorded in the ledger and the audit log`,
    JSON_HELP,
  ],
  run: (input) => moveMoney(input, 'accounts.adjust'),
};

function moveMoney(input: CommandInput, operation: string): Promise<number> {
  const { balance, credits, reason } = given(input, ['balance', 'credits', 'reason']);
  if ((balance === undefined) === (credits === undefined)) {
    throw new UsageError('give either --balance or --credits');
  }
  const pool = balance === undefined ? 'credits' : 'balance';
  const body = { pool, amount: balance ?? credits, reason };
  return atTerminal(input, async (terminal) => {
    const asked = { accountId: await terminal.account(), body, options: { amount: pool } };
    sayFunds(input, await terminal.data(operation, asked));
  });
}

export const accountExchange: Command = {
  name: 'account exchange',
  summary: 'Exchange balance into Credits at the rate of the platform.',
  usage: '--account EMAIL --amount YUAN [--reason TEXT] [--json]',
  options: { ...ACCOUNT_OPTION, amount: TEXT, reason: TEXT },
  help: [
    ACCOUNT_HELP,
    '--amount YUAN    balance to exchange, e.g. 12.50',
    `--reason TEXT    reason, up to ${REASON_LENGTH_MAX} characters; recorded in the ledger`,
    JSON_HELP,
  ],
  run: (input) => {
    const reference = stringOption(input, 'reason') ?? input.command.name;
    if (reference.trim() === '' || reference.length > REASON_LENGTH_MAX) {
      throw new UsageError(`--reason must have 1 to ${REASON_LENGTH_MAX} characters`);
    }
    return atTerminal(input, async (terminal) => {
      const asked = { accountId: await terminal.account(), body: given(input, ['amount']), reference };
      sayFunds(input, await terminal.data('points.exchange', asked));
    });
  },
};

function sayFunds(input: CommandInput, funds: Row): void {
  say(input, funds, [`now ${funds.credits} Credits, balance ${funds.balance} yuan`]);
}
