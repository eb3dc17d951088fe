import type { Receipt } from '../../ledger/receipt.ts';
import { type Command, CommandFailed, UsageError } from '../command.ts';
import {
  ACCOUNT_HELP,
  ACCOUNT_OPTION,
  given,
  JSON_HELP,
  JSON_OPTION,
  rowsTable,
  SIZE_HELP,
  TEXT,
} from '../listing.ts';
import { facts, say } from '../table.ts';
import { type Asked, atTerminal, type Row } from '../terminal.ts';
import { receiptLines } from './receipt-lines.ts';

const OPTIONS = { key_id: 'key', cursor: 'before' } as const;
const BEFORE_HELP = '--before NEXT  continue after a page, with the value that it ends with';
const COLUMNS = {
  ...{ ID: 'request_id', TIME: 'created_at', STATUS: 'status', END: 'verdict', MODEL: 'model_used' },
  ...{ INPUT: 'input_tokens', OUTPUT: 'output_tokens', PAYER: 'payer', CREDITS: 'credits' },
};

interface Found {
  readonly calls: readonly Row[];
  readonly next: string | null;
}

export const callList: Command = {
  name: 'call list',
  summary: 'List the calls of an account, newest first.',
  usage: '--account EMAIL [--size N] [--before NEXT] [--json]',
  options: { ...ACCOUNT_OPTION, size: TEXT, before: TEXT },
  help: [ACCOUNT_HELP, SIZE_HELP, BEFORE_HELP, JSON_HELP],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const query = { account_id: await terminal.account(), ...given(input, ['size', 'before'], FIELDS) };
      const found = await terminal.data<Found>('calls.search', { query, options: OPTIONS });
      say(input, found, foundLines(found));
    }),
};

const FIELDS = { key: 'key_id', before: 'cursor' } as const;

export const callSearch: Command = {
  name: 'call search',
  summary: 'Search the calls of all accounts, newest first. For one call by its id: "call show".',
  usage: '[--model NAME] [--key ID] [--status CODE] [--size N] [--before NEXT] [--json]',
  options: { model: TEXT, key: TEXT, status: TEXT, size: TEXT, before: TEXT, ...JSON_OPTION },
  help: [
    '--model NAME     model that served the call; if none did, the requested model',
    '--key ID         number of the key',
    '--status CODE    HTTP status, ok or failed',
    ...[SIZE_HELP, BEFORE_HELP, JSON_HELP],
  ],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const query = given(input, ['model', 'key', 'status', 'size', 'before'], FIELDS);
      const found = await terminal.data<Found>('calls.search', { query, options: OPTIONS });
      say(input, found, foundLines(found));
    }),
};

function foundLines({ calls, next }: Found): readonly string[] {
  return [...rowsTable(COLUMNS, calls), ...(next === null ? [] : [`more: --before ${next}`])];
}

export const callShow: Command = {
  name: 'call show',
  summary: 'Show a call and its receipt: how tokens, prices and rates make its charge.',
  usage: 'ID [--json]',
  words: 1,
  options: JSON_OPTION,
  help: ['ID  id of the call: x-request-id of its answer, or see "call list"', JSON_HELP],
  run: (input) => {
    const [callId] = input.positionals;
    if (callId === undefined) throw new UsageError('the id of the call is required');
    return atTerminal(input, async (terminal) => {
      const query = { request_id: callId };
      const { calls } = await terminal.data<Found>('calls.search', { query });
      const [found] = calls;
      if (found === undefined) {
        throw new CommandFailed('there is no such call, or its month is no longer kept');
      }
      const asked: Asked = { accountId: Number(found.account_id), params: { id: found.id } };
      const call = { ...found, ...(await terminal.data<Row & Shown>('logs.call', asked)) };
      const { receipt } = call;
      say(input, call, [
        ...callFacts(call),
        ...(receipt === null ? ['', 'No receipt: the call reached no vendor.'] : receiptLines(receipt)),
      ]);
    });
  },
};

interface Shown {
  readonly receipt: Receipt | null;
  readonly dropped_fields: readonly string[];
}

function callFacts(call: Row & Shown): readonly string[] {
  const { model_id: modelAsked, model_used: modelUsed, error_code: errorCode } = call;
  const asked = modelAsked === modelUsed ? '' : `, requested ${modelAsked}`;
  const error = errorCode === null ? '' : `, code ${errorCode}`;
  const first = call.ttft_ms === null ? '' : `, first byte after ${call.ttft_ms} ms`;
  const tokens = `${call.input_tokens} in, ${call.output_tokens} out`;
  const upstream = call.upstream_protocol ?? 'none';
  return facts([
    ['call', String(call.request_id)],
    ['time', String(call.created_at)],
    ['account', `${call.account_id}  ${call.email}`],
    ['key', `${call.key_id}  ${call.key_name}`],
    ['model', `${modelUsed}${asked}`],
    ['protocol', `${call.protocol} to ${upstream}${call.stream === true ? ', streamed' : ''}`],
    ['status', `${call.status} ${call.verdict}${error}`],
    ['tokens', `${tokens}${call.estimated === true ? ', estimated' : ''}`],
    ['duration', `${call.duration_ms} ms${first}`],
    ['not converted', call.dropped_fields.join(', ') || 'nothing'],
  ]);
}
