import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import { NO_USAGE } from '../../src/kernel/usage.ts';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { CREDITS_PER_YUAN, callOf, NOVEMBER } from '../support/calls.ts';
import { CATALOG_TEXT } from '../support/catalog.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';

const USER = ['--account', 'user@example.com'] as const;
let terminal: Terminal;
let paid: string;
let covered: string;
let refused: string;

beforeAll(async () => {
  terminal = await openTerminal(CATALOG_TEXT);
  const { database } = terminal.fresh;
  const accountId = (await findLogin(database, 'user@example.com'))?.accountId ?? 0;
  const calendar = createCalendar('UTC');
  const store = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const calls = [
    callOf({ accountId, modelAsked: 'gpt-4', keyName: 'lap\u001b[31mtop' }),
    callOf({
      accountId,
      createdAtMs: NOVEMBER + 1000,
      payer: 'subscription',
      chargeMicro: 0n,
      heldMicro: 25_000_000n,
      freeReason: 'covered',
    }),
    callOf({
      accountId,
      createdAtMs: NOVEMBER + 2000,
      usage: NO_USAGE,
      payer: 'none',
      price: null,
      routeId: null,
      vendor: null,
      protocolOut: null,
      status: 429,
      errorCode: 42902,
      verdict: 'refused',
      attempts: [],
      ttfbMs: null,
    }),
  ];
  await store.settle(calls);
  [paid = '', covered = '', refused = ''] = calls.map(({ callId }) => callId);
});
afterAll(() => terminal?.close());

describe('call list', () => {
  test('prints the newest first, and continues where a page ended', async () => {
    const first = await terminal.run('call', 'list', ...USER, '--size', '2');
    expect(first.stdout).toMatch(/^ID +TIME +STATUS +END +MODEL +INPUT +OUTPUT +PAYER +CREDITS\n/);
    const [, newest = '', second = '', more = ''] = first.stdout.split('\n');
    expect(newest).toMatch(/2026-11-15 20:00:02 +429 +refused +gpt-5 +0 +0 +none +0$/);
    expect(second).toMatch(
      /^req_\w+ +2026-11-15 20:00:01 +200 +complete +gpt-5 +1000 +500 +subscription +0$/,
    );
    expect(more).toMatch(/^more: --before \d+-\d+$/);
    const next = more.replace('more: --before ', '');
    const { calls: rest } = await terminal.json<{ calls: object[] }>(
      ...['call', 'list', ...USER, '--size', '2', '--before', next],
    );
    expect(rest).toMatchObject([
      {
        request_id: paid,
        model_id: 'gpt-4',
        model_used: 'gpt-5',
        payer: 'credits',
        subscription_covered: false,
        amount: '0.025',
        credits: '25',
        input_tokens: 1000,
        output_tokens: 500,
      },
    ]);
    expect(rest).toHaveLength(1);
  });

  test('prints no calls of other accounts', async () => {
    const other = ['--account', 'operator@example.com'] as const;
    expect(await terminal.json('call', 'list', ...other)).toEqual({ calls: [], next: null });
    expect(await terminal.run('call', 'list', ...other, '--before', paid)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--before must be the value of `next` of the page before'),
    });
  });
});

describe('call show', () => {
  test('prints how a charge follows from tokens, prices and rates, and its ledger entries', async () => {
    const { code, stdout } = await terminal.run('call', 'show', paid);
    expect(code).toBe(0);
    for (const line of [
      /^account +\d+ +user@example\.com$/m,
      /^key +1 +lap·\[31mtop$/m,
      /^model +gpt-5, requested gpt-4$/m,
      /^protocol +chat to responses, streamed$/m,
      /^input tokens +1000 +10 for 1000000 +0\.01$/m,
      /^output tokens +500 +30 for 1000000 +0\.015$/m,
      /^user rate +100 +× 1$/m,
      /^amount +0\.025$/m,
      /^in Credits +× 1000 +25$/m,
      /^paid by +credits$/m,
      /^taken +25 Credits$/m,
      /^1 +openai +openai-main +ok +12 ms$/m,
      /^\d+ +consumption +credits +-25 +49975\.5$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).not.toMatch(/^(free|shortfall|exchanged) /m);
  });

  test('prints the whole receipt as JSON', async () => {
    const shown = await terminal.json<{ receipt: { entries: unknown[] } }>('call', 'show', paid);
    expect(shown).toMatchObject({
      request_id: paid,
      email: 'user@example.com',
      receipt: { call_id: paid, amount: '0.025', credits: '25', shortfall: '0' },
    });
    expect(shown.receipt.entries).toHaveLength(1);
  });

  test('prints why a call was free', async () => {
    const { stdout } = await terminal.run('call', 'show', covered);
    expect(stdout).toMatch(/^paid by +subscription$/m);
    expect(stdout).toMatch(/^held +25 Credits of coverage$/m);
    expect(stdout).toMatch(/^taken +0 Credits$/m);
    expect(stdout).toMatch(/^free +Your subscription covers the call\.$/m);
    expect(stdout).not.toContain('ENTRY');
  });

  test('prints no receipt of a call that reached no vendor', async () => {
    const { stdout } = await terminal.run('call', 'show', refused);
    expect(stdout).toMatch(/^status +429 refused, code 42902$/m);
    expect(stdout).toMatch(/\n\nNo receipt: the call reached no vendor\.\n$/);
    expect(await terminal.json('call', 'show', refused)).toMatchObject({ receipt: null });
  });

  test.each([
    [[], 2, 'the id of the call is required'],
    [['a', 'b'], 2, 'unexpected argument "b"'],
    [['req_nonsense'], 1, 'there is no such call'],
    [[`req_${'0'.repeat(26)}`], 1, 'there is no such call'],
  ])('with %j ends with %i', async (ids, code, why) => {
    const answer = await terminal.run('call', 'show', ...ids);
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(why);
  });
});

describe('account ledger', () => {
  test('lists every movement with the remaining amount, a page at a time', async () => {
    const all = await terminal.run('account', 'ledger', ...USER);
    expect(all.stdout).toMatch(/^ID +TIME +KIND +POOL +CHANGE +AFTER +WHY\n/);
    expect(all.stdout).toMatch(new RegExp(`consumption +credits +-25 +[0-9.]+ +${paid}\n`));
    const one = await terminal.json<{ total: number; items: { ref: string; change: string }[] }>(
      ...['account', 'ledger', ...USER, '--size', '1'],
    );
    expect(one.items).toMatchObject([{ ref: paid, change: '-25', kind: 'consumption', pool: 'credits' }]);
    expect(one.total).toBe(all.stdout.trim().split('\n').length - 1);
  });
});

describe('account usage and account export', () => {
  const OPERATOR = ['--account', 'operator@example.com'] as const;

  beforeAll(async () => {
    const { database } = terminal.fresh;
    const accountId = (await findLogin(database, 'operator@example.com'))?.accountId ?? 0;
    const calendar = createCalendar('UTC');
    const store = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
    const free = {
      accountId,
      createdAtMs: Date.now(),
      chargeMicro: 0n,
      freeReason: 'byok',
      payer: 'byok',
    } as const;
    await store.settle([callOf(free), callOf(free)]);
  });

  test('print days and models with their sums', async () => {
    const words = ['account', 'usage', ...OPERATOR, '--days', '2'];
    const usage = await terminal.json<{ days: { calls: number }[]; models: object[] }>(...words);
    expect(usage.days.length).toBe(2);
    expect(usage.days.reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
    expect(usage.models).toMatchObject([
      { model_id: 'gpt-5', calls: 2, input_tokens: 2000, output_tokens: 1000, credits: '0' },
    ]);
    const shown = await terminal.run(...words);
    expect(shown.stdout).toMatch(/^DAY +CALLS +FAILED +INPUT +OUTPUT +IMAGES +CREDITS\n/);
    expect(shown.stdout).toMatch(/\n\nMODEL +CALLS.*\ngpt-5 +2 +0 +2000 +1000 +0 +0\n/);
    expect((await terminal.run('account', 'usage', ...OPERATOR, '--days', '0')).code).toBe(2);
  });

  test.each([
    ['calls', 2],
    ['consumption', 2],
    ['balance', 0],
  ] as const)('print the log of %s as CSV', async (log, rows) => {
    const { stdout, code } = await terminal.run('account', 'export', ...OPERATOR, '--log', log);
    expect(code).toBe(0);
    const lines = stdout.trim().split(/\r?\n/);
    expect(lines[0]).toMatch(/^id,/);
    expect(lines.slice(1).length).toBe(rows);
    expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1);
  });

  test('refuse an unknown log', async () => {
    const { stderr, code } = await terminal.run('account', 'export', ...USER, '--log', 'prompts');
    expect([code, stderr]).toEqual([2, expect.stringContaining('calls, consumption or balance')]);
  });
});
