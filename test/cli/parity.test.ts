import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { projectRoot } from '../house/tree.ts';

const ENTRIES = ['vendors', 'credentials', 'models', 'routes', 'policies', 'plans', 'nodes', 'announcements'];

/** What an operator does by the API, and what does the same in a terminal. A file creates and changes. */
const COMMAND_FOR: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ENTRIES.flatMap((kind) => [
      [`${kind}.list`, 'catalog list'],
      [`${kind}.get`, 'catalog show'],
      [`${kind}.create`, 'apply'],
      [`${kind}.update`, 'apply'],
      [`${kind}.delete`, 'catalog delete'],
    ]),
  ),
  'settings.get': 'catalog show',
  'settings.update': 'apply',
  'accounts.list': 'account list',
  'accounts.get': 'account show',
  'accounts.create': 'account create',
  'accounts.update': 'account set',
  'accounts.endSessions': 'account logout',
  'accounts.listKeys': 'key list',
  'accounts.updateKey': 'key set',
  'accounts.deleteKey': 'key revoke',
  'accounts.listSessions': 'account sessions',
  'accounts.resetPassword': 'account reset-password',
  'calls.search': 'call search',
  'overview.series': 'overview',
  'accounts.topUp': 'account top-up',
  'accounts.adjust': 'account adjust',
  'accounts.listSubscriptions': 'subscription list',
  'accounts.grantSubscription': 'subscription grant',
  'accounts.cancelSubscription': 'subscription cancel',
  'verifications.list': 'verification list',
  'verifications.decide': 'account verify',
  'accountLogs.calls': 'call list',
  'accountLogs.call': 'call show',
  'accountLogs.consumptions': 'account export',
  'accountLogs.balance': 'account ledger',
  'accountLogs.exportCalls': 'account export',
  'accountLogs.exportConsumptions': 'account export',
  'accountLogs.exportBalance': 'account export',
  'accountStats.overview': 'account usage',
  'accountStats.trend': 'account usage',
  'accountStats.models': 'account usage',
  'accountStats.keys': 'account usage',
  'accountStats.protocols': 'account usage',
  'accountStats.payers': 'account usage',
  'accountStats.series': 'account usage',
  'feedback.list': 'feedback list',
  'feedback.update': 'feedback done',
  'audit.list': 'audit list',
  'registration.get': 'registration',
  'registration.update': 'registration',
  'overview.get': 'overview',
  'overview.credentials': 'overview',
  'overview.nodes': 'nodes',
};

test('every operator endpoint of the API has a command', () => {
  const rows = OPERATIONS.filter(({ surface }) => surface === 'admin').map(({ name }) => name);
  expect(rows.length).toBeGreaterThan(70);
  expect(rows.filter((name) => COMMAND_FOR[name] === undefined)).toEqual([]);
  expect(Object.keys(COMMAND_FOR).filter((name) => !rows.includes(name))).toEqual([]);
  const commands = new Set(COMMANDS.map(({ name }) => name));
  expect(Object.values(COMMAND_FOR).filter((name) => !commands.has(name))).toEqual([]);
});

/** They work on the database itself or on a catalogue file, which no operation does. */
const WITHOUT_OPERATION = ['apply.ts', 'doctor.ts', 'migrate.ts'];

test('every other command only prints what operations answer', () => {
  const names = new Set(OPERATIONS.map(({ name }) => name));
  const run: string[] = [];
  for (const folder of ['account', 'commands']) {
    const path = join(projectRoot, 'src/cli', folder);
    for (const file of readdirSync(path).filter((each) => !WITHOUT_OPERATION.includes(each))) {
      const text = readFileSync(join(path, file), 'utf8');
      expect(text, `${file} takes everything from operations`).not.toMatch(/from '[./]+\/(store|setup)\b/);
      run.push(...[...text.matchAll(/'([a-z]\w*\.[a-z][\w-]*)'/gi)].map(([, name = '']) => name));
    }
  }
  const asked = run.filter((name) => !name.endsWith('.ts'));
  expect(asked.length).toBeGreaterThan(35);
  expect(asked.filter((name) => !names.has(name))).toEqual([]);
});
