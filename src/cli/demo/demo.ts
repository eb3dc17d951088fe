import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTollgate } from '../../app.ts';
import { type Config, readConfig, SETTINGS } from '../../config.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { LoggedCall } from '../../ledger/log.ts';
import { openSealer, type Setup } from '../../setup.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { announceAndWait } from '../../store/changes.ts';
import { findCall } from '../../store/logs/call-log.ts';
import { openStore } from '../../store/open.ts';
import { untilOutputCloses } from '../closed-output.ts';
import { type Command, CommandFailed, type CommandInput, EXIT } from '../command.ts';
import { buildConsole } from '../serve/console-build.ts';
import { openCommandLog } from '../serve/server-log.ts';
import { untilSignal } from '../signal.ts';
import { failForPeople, requireConfig } from '../workspace.ts';
import { type DemoAnswer, DemoClient } from './demo-client.ts';
import { HISTORY_DAYS, writeHistory } from './demo-history.ts';
import { findAccountId, furnish, makeKey, OPERATOR, USER } from './demo-people.ts';
import { type DemoCall, type DemoReport, printInvitation, printJson, printReport } from './demo-report.ts';
import { answerText, SHAPES, type Shape } from './demo-shapes.ts';
import { type FaultyVendors, Trickle } from './demo-trickle.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Try Tollgate with simulated vendors: five calls and their cost, then serve until Ctrl-C.',
  usage: '[--once] [--json]',
  options: { once: { type: 'boolean' }, json: { type: 'boolean' } },
  help: ['--once          stop after the five calls', '--json          print the report as one line of JSON'],
  run: runDemo,
};

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
      await serveDemo(input, config, { passwords, simulator, stopping, note });
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
    TOLLGATE_LOG_LEVEL: environment.TOLLGATE_LOG_LEVEL ?? 'error',
    DATABASE_URL: undefined,
    DEMO_VENDORS: vendors,
    DEMO_OPERATOR_PASSWORD: passwords[OPERATOR],
    DEMO_USER_PASSWORD: passwords[USER],
    DEMO_OTHERS_PASSWORD: newPassword(),
    DEMO_YESTERDAY: dayFromNow(-1),
    DEMO_NEXT_WEEK: dayFromNow(7),
  });
  if (result.kind === 'config-errors') throw new CommandFailed(result.errors.join('\n'));
  return result.config;
}

function dayFromNow(days: number): string {
  return new Date(systemClock.now() + days * 86_400_000).toISOString().slice(0, 10);
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
  readonly simulator: FaultyVendors;
  readonly stopping: Promise<void>;
  readonly note: string | undefined;
}

async function serveDemo(input: CommandInput, config: Config, stay: Stay): Promise<void> {
  const log = openCommandLog(config, config.logLevel);
  // Faults of vendors are part of the demo and would fill the terminal. A console that fails to build is not.
  const building = buildConsole(openCommandLog(config, 'warn'));
  const tollgate = await startTollgate(config, log).catch(failForPeople);
  try {
    const store = await openStore({ ...config, log });
    try {
      const { database } = store;
      const setup: Setup = { config, database, sealer: await openSealer(config, database), log };
      await show(input, setup, { ...stay, url: tollgate.url });
    } finally {
      await store.close();
    }
  } finally {
    building.stop();
    await tollgate.stop();
  }
}

interface Served extends Stay {
  readonly url: string;
}

/** A past, the five calls and their report; then a trickle of calls until the demo is stopped. */
async function show(input: CommandInput, setup: Setup, served: Served): Promise<void> {
  const { url, simulator, stopping } = served;
  const isOnce = input.values.once === true;
  const nowMs = systemClock.now();
  const keys = await furnish(setup, nowMs);
  const signal = toAbortSignal(stopping);
  await writeHistory(setup, keys, { nowMs, days: isOnce ? 0 : HISTORY_DAYS, signal });
  if (signal.aborted) return;
  const report = await tryEverything(setup, served);
  if (input.values.json === true) printJson(report, input.output);
  else {
    printReport(report, input.output);
    if (!isOnce) printInvitation(report, input.output);
  }
  if (isOnce) return;
  const client = new DemoClient(url);
  const trickle = new Trickle({ setup, client, keys, vendors: simulator, random: systemRandom });
  await stopping;
  await trickle.stop();
}

function toAbortSignal(stopping: Promise<void>): AbortSignal {
  const controller = new AbortController();
  void stopping.then(() => controller.abort());
  return controller.signal;
}

async function tryEverything(setup: Setup, { url, passwords, note }: Served): Promise<DemoReport> {
  const accountId = await findAccountId(setup, USER);
  const key = await makeKey(setup, { accountId, name: 'demo' });
  await announceAndWait(setup.database);
  const creditsBeforeMicro = await readCreditsMicro(setup, accountId);
  const client = new DemoClient(url);
  const calls = await callAll(setup, client, key.text).finally(() => client.close());
  return {
    url,
    note,
    key: key.text,
    accounts: [
      { email: USER, role: 'user', password: passwords[USER] },
      { email: OPERATOR, role: 'operator', password: passwords[OPERATOR] },
    ],
    calls,
    creditsBeforeMicro,
    creditsAfterMicro: await readCreditsMicro(setup, accountId),
  };
}

async function readCreditsMicro(setup: Setup, accountId: number): Promise<bigint> {
  const account = await findAccount(setup.database, accountId, setup);
  return account?.funds.creditsMicro ?? 0n;
}

async function callAll(setup: Setup, client: DemoClient, key: string): Promise<readonly DemoCall[]> {
  const answers: { readonly shape: Shape; readonly answer: DemoAnswer }[] = [];
  for (const shape of SHAPES) answers.push({ shape, answer: await askWell(client, shape, key) });
  const calls: DemoCall[] = [];
  for (const { shape, answer } of answers) {
    const call = await settledCall(setup, answer.requestId);
    calls.push({ shape, words: answerText(shape, answer.body), call });
  }
  return calls;
}

async function askWell(client: DemoClient, shape: Shape, key: string): Promise<DemoAnswer> {
  const answer = await client.ask(shape, { key });
  if (answer.status === 200) return answer;
  throw new CommandFailed(`${shape.path} answered ${answer.status}: ${answer.body.slice(0, 1_000)}`);
}

const SETTLE_TRIES = 2_400;
const SETTLE_POLL_MS = 25;

/** The client may have its answer shortly before the charge is in the database. */
async function settledCall({ database }: Setup, callId: string): Promise<LoggedCall> {
  for (let tries = 0; tries < SETTLE_TRIES; tries++) {
    const call = await findCall(database, callId);
    if (call !== undefined) return call;
    await sleep(SETTLE_POLL_MS);
  }
  throw new CommandFailed('the calls did not reach the call log in time');
}
