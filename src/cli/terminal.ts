import { createOperationDeps, GATE_ELSEWHERE } from '../app/operation-deps.ts';
import type { CatalogSnapshot } from '../catalog/contract.ts';
import type { Config } from '../config.ts';
import { assert } from '../kernel/assert.ts';
import { silentLogger } from '../kernel/log.ts';
import { createIsoFormat } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { Context, OperationDeps } from '../operations/context.ts';
import type { Failure } from '../operations/failure.ts';
import type { Answer, PageAnswer } from '../operations/operation.ts';
import { OPERATIONS } from '../operations/table.ts';
import { createValidator } from '../platform/http/validate.ts';
import type { Setup } from '../setup.ts';
import { findLogin } from '../store/accounts/accounts.ts';
import { loadCatalog } from '../store/catalog/catalog.ts';
import { createCloudClient } from '../upstream/cloud/client.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import { createUpstreamClient } from '../upstream/http/client.ts';
import { createChooseProxy } from '../upstream/http/egress-proxy.ts';
import { Prober } from '../upstream/probe.ts';
import { CommandFailed, type CommandInput, EXIT, requiredOption, UsageError } from './command.ts';
import { withStore } from './workspace.ts';

/** An object of an answer. Its fields are declared by the operation. */
export type Row = Readonly<Record<string, unknown>>;

/** The input of an operation. Values that are undefined are absent. */
export interface Asked {
  readonly params?: Row;
  readonly query?: Row;
  readonly body?: Row;
  /** The account that it is about. */
  readonly accountId?: number;
  /** What ledger entries refer to. Default: the name of the command. */
  readonly reference?: string;
  /** The options whose fields have other names, as field and option. */
  readonly options?: Readonly<Record<string, string>>;
  /** The message if there is no such thing. */
  readonly absent?: string;
}

/** The operations of the platform, for the person at the terminal of the server. */
export interface Terminal {
  readonly config: Config;
  /** The id of the account of `--account`. */
  account(): Promise<number>;
  data<Shape = Row>(name: string, asked?: Asked): Promise<Shape>;
  page(name: string, asked?: Asked): Promise<PageAnswer>;
  /** The text of a file, in pieces. */
  file(name: string, asked?: Asked): Promise<AsyncIterable<string>>;
}

/**
 * Runs operations as the API does: the same checks, the same work, the same data. Writes are recorded in the
 * audit log and in force when the command returns. If a server has not confirmed them, a warning is printed.
 * A number that the work returns is the exit code.
 */
export function atTerminal(
  input: CommandInput,
  work: (terminal: Terminal) => Promise<unknown>,
  statementTimeoutMs?: number,
): Promise<number> {
  const run = async (setup: Setup): Promise<number> => {
    const { config, log } = setup;
    const chooseProxy = createChooseProxy(config);
    const plain = createUpstreamClient({ log, ownHosts: config.byokHosts, chooseProxy });
    const vendors = createCloudClient(plain, systemClock);
    try {
      const code = await work(openTerminal({ ...setup, vendors }, input));
      return typeof code === 'number' ? code : EXIT.ok;
    } finally {
      await vendors.close();
    }
  };
  return withStore(input, run, statementTimeoutMs);
}

/** A store, and connections to vendors for the commands that make some. */
type Opened = Setup & { readonly vendors: UpstreamClient };

/** They look a vendor up in the catalogue that is in force, as those of an account look up its offer. */
const OF_VENDORS = ['credentials.testNew', 'vendors.models'];

type Answered = Exclude<Answer, Failure>;

function openTerminal(setup: Opened, input: CommandInput): Terminal {
  const warn = (_fields: object, message: string): void => input.output.error(`warning: ${message}`);
  const log = { ...silentLogger, error: setup.log.error.bind(setup.log), warn };
  const run = async (name: string, asked: Asked = {}): Promise<Answered> => {
    const operation = OPERATIONS.find((each) => each.name === name);
    assert(operation !== undefined, `${name} is an operation`);
    const isOwn = operation.access !== 'operator';
    const about = isOwn ? {} : { id: asked.accountId };
    const checked = createValidator(operation)({
      params: toTexts({ ...about, ...asked.params }),
      query: toTexts(asked.query),
      body: withoutAbsent(asked.body),
    });
    if (checked.kind === 'problem') throw new UsageError(forTerminal(checked.message, asked, input));
    const { reference } = asked;
    const accountId = isOwn ? asked.accountId : undefined;
    const isCatalogRead = isOwn || OF_VENDORS.includes(name);
    const context = await createTerminalContext({ ...setup, log }, input, {
      reference,
      accountId,
      isCatalogRead,
    });
    const answer = await operation.handle(checked.input, context);
    if (answer.kind === 'failure') throw refusal(answer, asked, input);
    return answer;
  };
  return {
    config: setup.config,
    account: () => requireAccount(setup, input),
    data: async <Shape>(name: string, asked?: Asked) => {
      const answer = await run(name, asked);
      assert(answer.kind === 'data', `${name} answers data`);
      return answer.data as Shape;
    },
    page: async (name, asked) => {
      const answer = await run(name, asked);
      assert(answer.kind === 'page', `${name} answers a page`);
      return answer;
    },
    file: async (name, asked) => {
      const answer = await run(name, asked);
      assert(answer.kind === 'text', `${name} answers a file`);
      return answer.chunks;
    },
  };
}

async function requireAccount({ database }: Setup, input: CommandInput): Promise<number> {
  const email = requiredOption(input, 'account').trim().toLowerCase();
  const login = await findLogin(database, email);
  if (login === undefined) throw new CommandFailed(`there is no account ${email}`);
  return login.accountId;
}

/** No calls are served here. */
const OWN: Pick<OperationDeps, 'gate' | 'health'> = {
  gate: GATE_ELSEWHERE,
  health: { credentialReports: () => [], routeReports: () => [] },
};

interface Scope {
  /** Set for what accounts do with what is their own. */
  readonly accountId: number | undefined;
  readonly reference: string | undefined;
  readonly isCatalogRead: boolean;
}

async function createTerminalContext(
  setup: Opened,
  { command: { name }, values }: CommandInput,
  { accountId, reference = name, isCatalogRead }: Scope,
): Promise<Context> {
  const isOwn = accountId !== undefined;
  const { vendors } = setup;
  const loaded = isCatalogRead ? await loadCatalog(setup.database, setup) : undefined;
  const catalog = (): CatalogSnapshot => {
    assert(loaded !== undefined, 'operators read the catalogue of the store');
    return loaded;
  };
  return {
    ...createOperationDeps(setup, { ...OWN, prober: new Prober(vendors, systemClock), vendors, catalog }),
    ...(values.json === true && { showTime: createIsoFormat(setup.config.timeZone) }),
    caller: isOwn ? { accountId, role: 'operator', sessionId: '' } : undefined,
    actor: { accountId: undefined, address: 'terminal', action: name },
    ...{ address: 'terminal', userAgent: '', cookies: new Map(), requestId: reference },
  };
}

function withoutAbsent(row: Row = {}): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

function toTexts(row: Row | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(withoutAbsent(row)).map(([name, value]) => [name, String(value)]));
}

function refusal(failure: Failure, asked: Asked, input: CommandInput): Error {
  if (failure.name === 'notFound' && asked.absent !== undefined) return new CommandFailed(asked.absent);
  const message = forTerminal(failure.message, asked, input);
  return failure.name === 'badParameter' ? new UsageError(message) : new CommandFailed(message);
}

/** The name of a field at the start of a message becomes that of its option. */
function forTerminal(message: string, { options = {} }: Asked, { command }: CommandInput): string {
  const [field = ''] = /^\w*/.exec(message) ?? [];
  const option = options[field] ?? field.replaceAll('_', '-');
  if (Object.hasOwn(command.options, option)) return `--${option}${message.slice(field.length)}`;
  return message.charAt(0).toLowerCase() + message.slice(1);
}
