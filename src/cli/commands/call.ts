import { formatMicro } from '../../kernel/money.ts';
import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import { shownCall } from '../../operations/logs/log-items.ts';
import type { Setup } from '../../setup.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { findCall, listCalls } from '../../store/logs/call-log.ts';
import { findReceipt } from '../../store/logs/receipts.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from '../account/account-option.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  stringOption,
  UsageError,
} from '../command.ts';
import { facts, say, table } from '../table.ts';
import { readPageSize, SIZE_HELP } from '../values.ts';
import { withStore } from '../workspace.ts';
import { receiptLines } from './receipt-lines.ts';

export const callList: Command = {
  name: 'call list',
  summary: 'List the calls of an account, newest first.',
  usage: '--account EMAIL [--size N] [--before ID] [--json]',
  options: { ...ACCOUNT_OPTION, size: { type: 'string' }, before: { type: 'string' } },
  help: [ACCOUNT_HELP, SIZE_HELP, '--before ID  continue after this call, the last of a page', JSON_HELP],
  run: async (input) => {
    const size = readPageSize(input);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const before = await lastOfPage(setup, input, accountId);
      const calls = await listCalls(setup.database, accountId, size, before);
      const last = calls.at(-1);
      const more = calls.length === size && last !== undefined ? [`more: --before ${last.callId}`] : [];
      const { timeZone } = setup.config;
      const json = calls.map((call) => callJson(call, timeZone));
      say(input, json, [...callTable(calls, timeZone), ...more]);
      return EXIT.ok;
    });
  },
};

/** The start of a page: a call of this account. */
async function lastOfPage(
  { database }: Setup,
  input: CommandInput,
  accountId: number,
): Promise<LoggedCall | undefined> {
  const callId = stringOption(input, 'before');
  if (callId === undefined) return undefined;
  const call = await findCall(database, callId);
  if (call?.accountId !== accountId) throw new CommandFailed('the account has no call with this id');
  return call;
}

export function callTable(calls: readonly LoggedCall[], timeZone: string): readonly string[] {
  const time = createTimeFormat(timeZone);
  const rows = calls.map((call) => [
    call.callId,
    time(call.createdAtMs),
    String(call.status),
    call.verdict,
    call.modelUsed,
    String(inputTokens(call.usage)),
    String(outputTokens(call.usage)),
    call.payer,
    formatMicro(call.creditsMicro),
  ]);
  return table(['ID', 'TIME', 'STATUS', 'END', 'MODEL', 'INPUT', 'OUTPUT', 'PAYER', 'CREDITS'], rows);
}

export const callShow: Command = {
  name: 'call show',
  summary: 'Show a call and its receipt: how tokens, prices and rates make its charge.',
  usage: 'ID [--json]',
  words: 1,
  options: { json: { type: 'boolean' } },
  help: ['ID  id of the call: x-request-id of its answer, or see "call list"', JSON_HELP],
  run: async (input) => {
    const [callId] = input.positionals;
    if (callId === undefined) throw new UsageError('the id of the call is required');
    return withStore(input, (setup) => show(setup, input, callId));
  },
};

async function show(setup: Setup, input: CommandInput, callId: string): Promise<number> {
  const { database, config } = setup;
  const call = await findCall(database, callId);
  if (call === undefined) throw new CommandFailed('there is no such call, or its month is no longer kept');
  const receipt = await findReceipt(database, call.accountId, callId);
  const account = await findAccount(database, call.accountId, setup);
  const email = account?.email ?? '';
  const { timeZone } = config;
  const json = { ...callJson(call, timeZone), account_id: call.accountId, email, receipt: receipt ?? null };
  say(input, json, [
    ...callFacts(call, email, timeZone),
    ...(receipt === undefined ? ['', 'No receipt: the call reached no vendor.'] : receiptLines(receipt)),
  ]);
  return EXIT.ok;
}

function callFacts(call: LoggedCall, email: string, timeZone: string): readonly string[] {
  const { usage, modelAsked, modelUsed, protocolOut, errorCode } = call;
  const asked = modelAsked === modelUsed ? '' : `, requested ${modelAsked}`;
  const error = errorCode === null ? '' : `, code ${errorCode}`;
  const first = call.ttfbMs === null ? '' : `, first byte after ${call.ttfbMs} ms`;
  const tokens = `${inputTokens(usage)} in, ${outputTokens(usage)} out`;
  return facts([
    ['call', call.callId],
    ['time', createTimeFormat(timeZone)(call.createdAtMs)],
    ['account', `${call.accountId}  ${email}`],
    ['key', `${call.keyId}  ${call.keyName}`],
    ['model', `${modelUsed}${asked}`],
    ['protocol', `${call.protocolIn} to ${protocolOut ?? 'none'}${call.stream ? ', streamed' : ''}`],
    ['status', `${call.status} ${call.verdict}${error}`],
    ['tokens', `${tokens}${call.estimated ? ', estimated' : ''}`],
    ['duration', `${call.durationMs} ms${first}`],
    ['not converted', call.droppedFields.join(', ') || 'nothing'],
  ]);
}

/** As in the call log of the platform, with the time in ISO format. */
export function callJson(call: LoggedCall, timeZone: string): object {
  return shownCall(call, createIsoFormat(timeZone));
}
