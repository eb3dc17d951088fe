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
  'vendors.presets': 'vendor list',
  'vendors.models': 'vendor add',
  'credentials.testNew': 'vendor add',
  'catalog.get': 'catalog export',
  'catalog.diff': 'apply',
  'catalog.apply': 'apply',
  'catalog.whatIf': 'what-if',
  'catalog.reprice': 'reprice',
  'catalog.readPrices': 'prices import',
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
  'calls.detail': 'call show',
  'live.platform': 'call search',
  'overview.series': 'overview',
  'doctor.get': 'doctor',
  'overview.routes': 'overview',
  'overview.accounts': 'overview',
  'accounts.topUp': 'account top-up',
  'accounts.adjust': 'account adjust',
  'accounts.listSubscriptions': 'subscription list',
  'accounts.grantSubscription': 'subscription grant',
  'accounts.cancelSubscription': 'subscription cancel',
  'verifications.list': 'verification list',
  'verifications.decide': 'account verify',
  'accountLogs.calls': 'call list',
  'accountLogs.call': 'call show',
  'accountLogs.search': 'call list',
  'accountLogs.request': 'call show',
  'accountLogs.consumptions': 'account export',
  'accountLogs.balance': 'account ledger',
  'calls.export': 'account export',
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
  'accountStats.export': 'account usage',
  'accountPreference.get': 'account show',
  'accountVerification.get': 'account show',
  'accountByok.page': 'credential list',
  'accountByok.stats': 'account usage',
  'accounts.listNotes': 'account note',
  'accounts.addNote': 'account note',
  'accounts.deleteNote': 'account note',
  'feedback.list': 'feedback list',
  'feedback.update': 'feedback done',
  'audit.list': 'audit list',
  'registration.get': 'registration',
  'registration.update': 'registration',
  'overview.get': 'overview',
  'overview.credentials': 'overview',
  'overview.nodes': 'nodes',
  'platformAlerts.channels': 'alerts channels',
  'platformAlerts.createChannel': 'alerts add',
  'platformAlerts.updateChannel': 'alerts set',
  'platformAlerts.deleteChannel': 'alerts remove',
  'platformAlerts.testChannel': 'alerts test',
  'platformAlerts.states': 'alerts states',
  'platformAlerts.deliveries': 'alerts deliveries',
  'platformAlerts.resend': 'alerts resend',
};

/** They use what a server has: connections to the vendors, and what its calls use of limits. */
const NEEDS_SERVER: ReadonlySet<string> = new Set([
  ...['routes.test', 'credentials.test', 'accountLimits.get'],
]);

test('every operator endpoint of the API has a command', () => {
  const rows = OPERATIONS.filter(({ surface }) => surface === 'admin').map(({ name }) => name);
  expect(rows.length).toBeGreaterThan(70);
  expect(rows.filter((name) => COMMAND_FOR[name] === undefined && !NEEDS_SERVER.has(name))).toEqual([]);
  expect(Object.keys(COMMAND_FOR).filter((name) => !rows.includes(name))).toEqual([]);
  const commands = new Set(COMMANDS.map(({ name }) => name));
  expect(Object.values(COMMAND_FOR).filter((name) => !commands.has(name))).toEqual([]);
});

/** They work on the database itself, or on another one, which no operation does. */
const WITHOUT_OPERATION = ['migrate.ts', 'clickhouse.ts'];
/** A file of the person at the terminal. */
const READS_FILE = "import { readCatalogFile } from '../../setup.ts';";

test('every other command only prints what operations answer', () => {
  const names = new Set(OPERATIONS.map(({ name }) => name));
  const run: string[] = [];
  for (const folder of ['account', 'commands', 'vendor']) {
    const path = join(projectRoot, 'src/cli', folder);
    for (const file of readdirSync(path).filter((each) => !WITHOUT_OPERATION.includes(each))) {
      const text = readFileSync(join(path, file), 'utf8').replace(READS_FILE, '');
      expect(text, `${file} takes everything from operations`).not.toMatch(/from '[./]+\/(store|setup)\b/);
      run.push(...[...text.matchAll(/'([a-z]\w*\.[a-z][\w-]*)'/gi)].map(([, name = '']) => name));
    }
  }
  const asked = run.filter((name) => !name.endsWith('.ts'));
  expect(asked.length).toBeGreaterThan(35);
  expect(asked.filter((name) => !names.has(name))).toEqual([]);
});
