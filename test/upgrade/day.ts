import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { examine } from '../../src/store/operations/doctor.ts';
import { call } from '../crash/load.ts';
import { codeOf, isIdle, judge } from '../crash/outage.ts';
import { IMAGES, TEXT_SHAPES, type Way } from '../crash/shapes.ts';
import { PAYERS_CATALOG } from '../crash/trial/payers.ts';
import { type ServerProcess, startProgram, until } from '../support/processes.ts';
import { type Customer, command, type Installation, makeCustomers } from './installation.ts';
import type { VersionBefore } from './version-before.ts';

/** A settlement that the schema refuses never comes about. */
const SETTLED_MS = 15_000;
const ACCOUNT = ['--account', 'new@example.com'];

/** Everything that people do with an installation in a day. The first thing that fails is thrown. */
export async function spendDay(
  site: Installation,
  version: VersionBefore,
): Promise<{ readonly calls: number }> {
  const node = await site.startNode('north', version);
  try {
    const customers = await makeCustomers(site, version);
    const calls = await callAll(site, node, customers);
    await operate(site, version);
    await visitAccount(node);
    await keepUp(site, version);
    await lookAtBooks(site, version);
    return { calls };
  } finally {
    node.kill('SIGTERM');
    await node.exited;
  }
}

async function operate(site: Installation, version: VersionBefore): Promise<void> {
  const run = (args: readonly string[], input?: string): Promise<string> =>
    command(site, version, args, input);
  const created = ['account', 'create', '--email', 'new@example.com', '--credits', '500', '--balance', '20'];
  await run([...created, '--password-stdin'], 'a test password');
  await run(['account', 'set', ...ACCOUNT, '--api-billing', 'on', '--cap', '1000']);
  await run(['account', 'top-up', ...ACCOUNT, '--credits', '100', '--reason', 'a gift']);
  await run(['account', 'exchange', ...ACCOUNT, '--amount', '5']);
  await run(['subscription', 'grant', ...ACCOUNT, '--plan', 'ALL', '--days', '3']);
  const key = JSON.parse(await run(['key', 'create', ...ACCOUNT, '--name', 'short', '--json']));
  await run(['key', 'set', ...ACCOUNT, '--id', String(key.id), '--status', 'disabled']);
  await run(['key', 'revoke', ...ACCOUNT, '--id', String(key.id)]);
  const changed = join(site.place.folder, 'changed.yaml');
  await writeFile(changed, PAYERS_CATALOG.replace('"250000000"', '"260000000"').replace('golden', 'silver'));
  await run(['apply', '-f', changed]);
}

/** By HTTP: login, a key of one's own, feedback, logout. */
async function visitAccount({ url }: ServerProcess): Promise<void> {
  const post = async (path: string, body: object, token?: string): Promise<Record<string, string>> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${text}`);
    return JSON.parse(text).data;
  };
  const login = { email: 'new@example.com', password: 'a test password' };
  const { access_token: token } = await post('/api/v1/user/auth/login', login);
  await post('/api/v1/user/user/feedback', { content: 'All is well.' }, token);
  await post('/api/v1/user/auth/logout', {}, token);
}

/** Calls of each protocol and payer, streamed and plain, and one that is refused. */
async function callAll(
  site: Installation,
  node: ServerProcess,
  customers: readonly Customer[],
): Promise<number> {
  const ways: readonly Way[] = ['stream', 'plain'];
  const asks = TEXT_SHAPES.flatMap((shape) => ways.map((way) => ({ shape, way })));
  let made = 0;
  const pending = customers.flatMap((customer) =>
    [...asks, { shape: IMAGES, way: 'plain' as const }].map((ask) =>
      call({ ...customer, url: node.url }, { ...ask, directive: `tag=d${++made} tokens=9` }),
    ),
  );
  const seen = await Promise.all(pending);
  const failed = seen.find(({ status, finished }) => status !== 200 || !finished);
  if (failed !== undefined) throw new Error(`a call: ${failed.status} ${failed.text}`);
  const unknown = { ...IMAGES, body: (prompt: string) => ({ model: 'nobody-knows', prompt }) };
  const { key = '' } = customers[0] ?? {};
  const refused = await call(
    { url: node.url, key },
    { shape: unknown, way: 'plain', directive: 'tag=unknown' },
  );
  if (codeOf(refused) !== 50_201) throw new Error(`an unknown model: ${refused.status} ${refused.text}`);
  seen.push(refused);
  await until(() => isIdle(node), SETTLED_MS);
  const { problems } = await judge(site.database, site.simulator, { seen });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return made;
}

async function keepUp({ connection }: Installation, { folder, environment }: VersionBefore): Promise<void> {
  const script = join(import.meta.dirname, 'upkeep-of.ts');
  const program = startProgram([script, folder, connection], environment);
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`upkeep: ${program.stderr()}`);
}

async function lookAtBooks(site: Installation, version: VersionBefore): Promise<void> {
  const account = ['--account', 'user@example.com'];
  for (const args of [
    ['call', 'list'],
    ['account', 'usage'],
    ['account', 'ledger'],
    ['account', 'show'],
  ]) {
    await command(site, version, [...args, ...account]);
  }
  for (const args of [['overview'], ['nodes'], ['audit', 'list'], ['doctor']])
    await command(site, version, args);
  const findings = await examine(site.database);
  if (findings.length > 0) throw new Error(JSON.stringify(findings));
}
