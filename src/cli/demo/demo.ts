import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTollgate } from '../../app.ts';
import { type Config, readConfig, SETTINGS } from '../../config.ts';
import type { Logger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import { openSealer, type Setup } from '../../setup.ts';
import { findAccount, findLogin } from '../../store/accounts/accounts.ts';
import { createKey } from '../../store/accounts/api-keys.ts';
import { announceAndWait } from '../../store/changes.ts';
import { pageOfLog } from '../../store/logs/log-pages.ts';
import { openStore } from '../../store/open.ts';
import { untilOutputCloses } from '../closed-output.ts';
import { type Command, CommandFailed, type CommandInput, EXIT } from '../command.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { untilSignal } from '../signal.ts';
import { failForPeople, requireConfig } from '../workspace.ts';
import { type DemoAnswer, DemoClient } from './demo-client.ts';
import { type DemoCall, type DemoReport, printInvitation, printJson, printReport } from './demo-report.ts';
import { answerText, SHAPES, type Shape } from './demo-shapes.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Try Tollgate with simulated vendors: five calls and their cost, then serve until Ctrl-C.',
  usage: '[--once] [--json]',
  options: { once: { type: 'boolean' }, json: { type: 'boolean' } },
  help: ['--once          stop after the five calls', '--json          print the report as one line of JSON'],
  run: runDemo,
};

const USER = 'user@example.com';
const OPERATOR = 'operator@example.com';
const GREETING =
  'Tollgate demo: simulated vendors, a temporary database, nothing leaves this machine. Starting …\n';
const PORT_TAKEN = `Port ${SETTINGS.port.standard} is in use, so the demo uses another one. TOLLGATE_PORT sets it.`;
const CATALOG = fileURLToPath(new URL('demo-catalog.yaml', import.meta.url));

/** All data is in a temporary folder, which is removed at the end. */
async function runDemo(input: CommandInput): Promise<number> {
  // First of all: a Ctrl-C during the start must not leave a database running. Unlike a server, the demo also
  // ends when its output is closed.
  const stopping = Promise.race([untilSignal(['SIGTERM', 'SIGINT', 'SIGHUP']), untilOutputCloses()]);
  const given = requireConfig(input);
  if (input.values.json !== true) input.output.line(GREETING);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-demo-'));
  try {
    const { startSimulator } = await import('../../../sim/server.ts');
    const simulator = await startSimulator();
    try {
      const passwords = { [OPERATOR]: newPassword(), [USER]: newPassword() };
      const config = await demoConfig(given, { folder, vendors: simulator.url, passwords });
      const moved = given.environment.TOLLGATE_PORT === undefined && config.port === 0;
      const note = moved ? PORT_TAKEN : undefined;
      await serveDemo(input, config, { passwords, stopping, note });
    } finally {
      await simulator.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return EXIT.ok;
}

type Passwords = Readonly<Record<typeof OPERATOR | typeof USER, string>>;

function newPassword(): string {
  return systemRandom.bytes(12).toString('base64url');
}

interface AppContext {
  readonly folder: string;
  readonly vendors: string;
  readonly passwords: Passwords;
}

/** The user's settings where they make sense. Data, catalogue and database belong to the demo. */
async function demoConfig({ environment }: Config, context: AppContext): Promise<Config> {
  const { folder, vendors, passwords } = context;
  const host = environment.TOLLGATE_HOST ?? '127.0.0.1';
  const result = readConfig({
    ...environment,
    TOLLGATE_HOST: host,
    TOLLGATE_PORT: environment.TOLLGATE_PORT ?? (await freePort(host)),
    TOLLGATE_DATA: folder,
    TOLLGATE_CATALOG: CATALOG,
    TOLLGATE_ROLE: undefined,
    TOLLGATE_SECRET: undefined,
    TOLLGATE_LOG_LEVEL: environment.TOLLGATE_LOG_LEVEL ?? 'warn',
    DATABASE_URL: undefined,
    DEMO_VENDORS: vendors,
    DEMO_OPERATOR_PASSWORD: passwords[OPERATOR],
    DEMO_USER_PASSWORD: passwords[USER],
  });
  if (result.kind === 'config-errors') throw new CommandFailed(result.errors.join('\n'));
  return result.config;
}

/** The default port, or any free one if that is in use. */
async function freePort(host: string): Promise<string> {
  const { standard } = SETTINGS.port;
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(Number(standard), host, () => resolve(true));
  });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return isFree ? standard : '0';
}

interface Stay {
  readonly passwords: Passwords;
  readonly stopping: Promise<void>;
  readonly note: string | undefined;
}

async function serveDemo(input: CommandInput, config: Config, stay: Stay): Promise<void> {
  const log = openCommandLog(config, config.logLevel);
  const once = input.values.once === true;
  const tollgate = await startTollgate(config, log).catch(failForPeople);
  try {
    const report = await tryEverything(config, log, { ...stay, url: tollgate.url });
    if (input.values.json === true) printJson(report, input.output);
    else {
      printReport(report, input.output);
      if (!once) printInvitation(report, input.output);
    }
    if (!once) await stay.stopping;
  } finally {
    await tollgate.stop();
  }
}

interface Served extends Stay {
  readonly url: string;
}

async function tryEverything(
  config: Config,
  log: Logger,
  { url, passwords, note }: Served,
): Promise<DemoReport> {
  const store = await openStore({ ...config, log });
  try {
    const { database } = store;
    const setup: Setup = { config, database, sealer: await openSealer(config, database), log };
    const accountId = (await findLogin(database, USER))?.accountId ?? 0;
    const key = await makeKey(setup, accountId);
    const creditsBeforeMicro = await creditsOf(setup, accountId);
    const calls = await callAll(setup, accountId, new DemoClient(url, key));
    return {
      url,
      note,
      key,
      accounts: [
        { email: USER, role: 'user', password: passwords[USER] },
        { email: OPERATOR, role: 'operator', password: passwords[OPERATOR] },
      ],
      calls,
      creditsBeforeMicro,
      creditsAfterMicro: await creditsOf(setup, accountId),
    };
  } finally {
    await store.close();
  }
}

async function makeKey({ database }: Setup, accountId: number): Promise<string> {
  const wanted = {
    accountId,
    name: 'demo',
    policyId: undefined,
    expiresAtMs: undefined,
    status: 'enabled',
  } as const;
  const result = await createKey(database, wanted, systemRandom);
  if (result.kind !== 'created') throw new CommandFailed(`the key could not be created: ${result.kind}`);
  await announceAndWait(database);
  return result.text;
}

async function creditsOf(setup: Setup, accountId: number): Promise<bigint> {
  const account = await findAccount(setup.database, accountId, setup);
  return account?.funds.creditsMicro ?? 0n;
}

async function callAll(setup: Setup, accountId: number, client: DemoClient): Promise<readonly DemoCall[]> {
  try {
    const answers: { readonly shape: Shape; readonly answer: DemoAnswer }[] = [];
    for (const shape of SHAPES) answers.push({ shape, answer: await askWell(client, shape) });
    const logged = await settledCalls(setup, accountId);
    return answers.flatMap(({ shape, answer }) => {
      const call = logged.find(({ callId }) => callId === answer.requestId);
      return call === undefined ? [] : [{ shape, words: answerText(shape, answer.body), call }];
    });
  } finally {
    await client.close();
  }
}

async function askWell(client: DemoClient, shape: Shape): Promise<DemoAnswer> {
  const answer = await client.ask(shape);
  if (answer.status === 200) return answer;
  throw new CommandFailed(`${shape.path} answered ${answer.status}: ${answer.body.slice(0, 1_000)}`);
}

const SETTLE_TRIES = 2_400;
const SETTLE_POLL_MS = 25;

/** The client may have its answer shortly before the charge is in the database. */
async function settledCalls({ database }: Setup, accountId: number): Promise<readonly LoggedCall[]> {
  const question = { accountId, filter: {}, place: { skip: 0, size: SHAPES.length } };
  for (let tries = 0; tries < SETTLE_TRIES; tries++) {
    const { items: calls } = await pageOfLog(database, 'calls', question);
    if (calls.length === SHAPES.length) return calls;
    await sleep(SETTLE_POLL_MS);
  }
  throw new CommandFailed('the calls did not reach the call log in time');
}
