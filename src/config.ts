import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { BODIES_IN_FLIGHT_BYTES_MAX } from './bounds.ts';
import { isNetwork, isNoProxyEntry, isOrigin, isProxyAddress } from './network-text.ts';

/**
 * The one place that reads the environment. Every setting is a row of this table: its name, what it means,
 * its default and how its text becomes a value. The table of docs/settings.md is checked against it.
 */
export interface Setting<Value> {
  readonly name: string;
  readonly meaning: string;
  /** Shown in the documentation; the text that is parsed when the variable is absent. */
  readonly standard: string;
  /** The value, or the reason why the text is none. */
  readonly parse: (text: string) => Value | Reason;
  /** Also read by its name in lower case, which yields to the other, as other programs read it. */
  readonly anyCase?: true;
}

/** Why a text is not a value of its setting. */
export class Reason {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const text = (name: string, standard: string, meaning: string): Setting<string> => ({
  name,
  standard,
  meaning,
  parse: (value) => value,
});

const optional = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => (value === '' ? undefined : value),
});

const integer = (
  name: string,
  standard: number,
  range: readonly [number, number],
  meaning: string,
): Setting<number> => ({
  name,
  standard: String(standard),
  meaning,
  parse: (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= range[0] && number <= range[1]
      ? number
      : new Reason(`must be a whole number from ${range[0]} to ${range[1]}`);
  },
});

const choice = <const Value extends string>(
  name: string,
  standard: Value,
  values: readonly Value[],
  meaning: string,
): Setting<Value> => ({
  name,
  standard,
  meaning,
  parse: (value) => values.find((one) => one === value) ?? new Reason(`must be one of ${values.join(', ')}`),
});

/** As addresses write them: lower case, IPv6 in brackets, no port where it is a usual one. */
const hosts = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wanted = entries.filter((entry) => entry !== '');
    const wrong = wanted.find((entry) => !/^[^/@?#*\s]+$/.test(entry) || !URL.canParse(`http://${entry}`));
    if (wrong !== undefined) return new Reason('must be hosts, or hosts with ports, separated by commas');
    return wanted.map((entry) => new URL(`http://${entry}`).host.replace(/:443$/, ''));
  },
});

const ADDRESSES = 'must be addresses or CIDRs (10.0.0.0/8), separated by commas';

const networks = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wanted = entries.filter((entry) => entry !== '');
    return wanted.every(isNetwork) ? wanted : new Reason(ADDRESSES);
  },
});

/** As browsers write them in `Origin`: lower case, no port where it is the usual one, nothing behind it. */
const origins = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wanted = entries.filter((entry) => entry !== '');
    const wrong = wanted.find((entry) => entry !== '*' && !isOrigin(entry));
    if (wrong !== undefined) {
      return new Reason(`${wrong} is not an origin: write https://host or https://host:port, no path, or *`);
    }
    return wanted.map((entry) => (entry === '*' ? entry : new URL(entry).origin));
  },
});

/** The reasons do not repeat what was given: it may hold a password. */
const proxy = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  anyCase: true,
  parse: (value) => {
    if (value === '') return undefined;
    const address = value.includes('://') ? value : `http://${value}`;
    return isProxyAddress(address) ? address : new Reason(PROXY_ADDRESS);
  },
});

const PROXY_ADDRESS =
  'must be http://host:port or https://host:port, if need be with user:password@ (percent-encoded)';

const noProxy: Setting<readonly string[]> = {
  name: 'NO_PROXY',
  standard: '',
  meaning:
    'Hosts reached without a proxy, by commas: `host` and all below it, `.host` below it only, `host:port`, addresses, CIDRs, `*`.',
  anyCase: true,
  parse: (value) => {
    const entries = value.split(/[,\s]+/).filter((entry) => entry !== '');
    const wrong = entries.findIndex((entry) => !isNoProxyEntry(entry));
    return wrong < 0
      ? entries
      : new Reason(`entry ${wrong + 1} is neither host, host:port, address, CIDR nor *`);
  },
};

const SECRET_BYTES_MIN = 32;

export const SETTINGS = {
  host: text('TOLLGATE_HOST', '0.0.0.0', 'Address to listen on.'),
  port: integer('TOLLGATE_PORT', 8080, [0, 65_535], 'Port to listen on; 0 takes a free one.'),
  opsHost: text('TOLLGATE_OPS_HOST', '127.0.0.1', 'Address of `/metrics`, for a scraper and nobody else.'),
  opsPort: integer(
    'TOLLGATE_OPS_PORT',
    0,
    [0, 65_535],
    'Port of `/metrics`, also of `/healthz` and `/readyz`; 0 takes a free one, which the log names.',
  ),
  workers: integer(
    'TOLLGATE_WORKERS',
    1,
    [1, 64],
    'Processes that serve the port together, each on a core of its own; more than one need `REDIS_URL`.',
  ),
  dataDirectory: text('TOLLGATE_DATA', './data', 'Data directory: embedded database, journal, secret.'),
  role: choice(
    'TOLLGATE_ROLE',
    'all',
    ['all', 'gateway', 'platform'],
    'What this process serves: the gateway, the platform API with its documents, or both.',
  ),
  secret: {
    name: 'TOLLGATE_SECRET',
    standard: '',
    meaning: 'Root of the encryption keys, 32 bytes or more. Absent: made once in the data directory.',
    parse: (value: string) => {
      if (value === '') return undefined;
      if (Buffer.byteLength(value) < SECRET_BYTES_MIN) return new Reason('must have at least 32 bytes');
      return value;
    },
  } satisfies Setting<string | undefined>,
  catalogFile: optional('TOLLGATE_CATALOG', 'Catalogue file applied at start.'),
  databaseUrl: {
    name: 'DATABASE_URL',
    standard: '',
    meaning: 'PostgreSQL of your own. Absent: the embedded one in the data directory.',
    parse: (value: string) => {
      if (value === '') return undefined;
      return /^postgres(ql)?:\/\//.test(value) ? value : new Reason('must begin with postgres://');
    },
  } satisfies Setting<string | undefined>,
  redisUrl: {
    name: 'REDIS_URL',
    standard: '',
    meaning:
      'Redis that counts limits and holds for all nodes; several (a cluster) by commas. Absent: memory.',
    parse: (value: string) => {
      if (value === '') return undefined;
      const entries = value.split(',').map((entry) => entry.trim());
      const good = entries.every((entry) => /^rediss?:\/\/[^/\s]/.test(entry) && URL.canParse(entry));
      return good ? entries.join(',') : new Reason('must begin with redis:// or rediss://, each of several');
    },
  } satisfies Setting<string | undefined>,
  timeZone: {
    name: 'TOLLGATE_TIMEZONE',
    standard: 'UTC',
    meaning: 'Time zone of months (spending caps) and of all times that are read and shown.',
    parse: (value: string) => (isTimeZone(value) ? value : new Reason('must be an IANA time zone, e.g. UTC')),
  } satisfies Setting<string>,
  creditsPerYuan: integer('TOLLGATE_CREDITS_PER_YUAN', 1000, [1, 1_000_000], 'Credits that one yuan buys.'),
  nodeName: text(
    'TOLLGATE_NODE',
    'local',
    'Name of this node; a `nodes` row of the catalogue gives its rate.',
  ),
  logLevel: choice(
    'TOLLGATE_LOG_LEVEL',
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'Least level that is logged; `debug` logs every call.',
  ),
  connectTimeoutMs: integer('TOLLGATE_CONNECT_TIMEOUT_MS', 5_000, [10, 120_000], 'Connecting to a vendor.'),
  firstByteTimeoutMs: integer(
    'TOLLGATE_FIRST_BYTE_TIMEOUT_MS',
    120_000,
    [10, 3_600_000],
    'From the request sent to the first byte (and the first event) of a streamed answer.',
  ),
  plainTimeoutMs: integer(
    'TOLLGATE_PLAIN_TIMEOUT_MS',
    600_000,
    [10, 3_600_000],
    'The same for a plain answer, which begins when it is made; and as much again for it to arrive.',
  ),
  idleTimeoutMs: integer('TOLLGATE_IDLE_TIMEOUT_MS', 60_000, [10, 3_600_000], 'Silence within an answer.'),
  clientStallMs: integer(
    'TOLLGATE_CLIENT_STALL_MS',
    60_000,
    [10, 3_600_000],
    'A client that reads nothing for this long is cut.',
  ),
  keepAliveMs: integer(
    'TOLLGATE_KEEP_ALIVE_MS',
    15_000,
    [10, 3_600_000],
    'Silence inside a stream after which the client gets a sign of life; looked at once a second.',
  ),
  bodyBudgetBytes: integer(
    'TOLLGATE_BODY_BUDGET_BYTES',
    BODIES_IN_FLIGHT_BYTES_MAX,
    [1_048_576, 1_099_511_627_776],
    'Bytes of request bodies and whole answers held at a time, half of them by one account; above it 50301.',
  ),
  conversationDays: integer(
    'TOLLGATE_CONVERSATION_DAYS',
    30,
    [0, 3_650],
    'Days that answers of Responses stay retrievable; 0 keeps nothing of any conversation.',
  ),
  logMonths: integer(
    'TOLLGATE_LOG_MONTHS',
    0,
    [0, 1_200],
    'Whole months that call and consumption logs go back, besides the running one; 0 keeps everything.',
  ),
  mediaHosts: hosts(
    'TOLLGATE_MEDIA_HOSTS',
    'Hosts (`host` or `host:port`, by commas) that media may be fetched from although they are private.',
  ),
  byokHosts: hosts(
    'TOLLGATE_BYOK_HOSTS',
    'Hosts (as above) that a BYOK credential may name as its own address although they are private.',
  ),
  httpsProxy: proxy('HTTPS_PROXY', 'Proxy (`http://user:password@host:port`) to https vendors and media.'),
  httpProxy: proxy('HTTP_PROXY', 'The same for those at http addresses.'),
  noProxy,
  trustedProxies: networks(
    'TOLLGATE_TRUSTED_PROXIES',
    'Proxies (addresses or CIDRs, by commas) whose `X-Forwarded-For` is believed; others are the client.',
  ),
  corsOrigins: origins(
    'TOLLGATE_CORS_ORIGINS',
    'Origins (`https://host`, by commas) whose pages may call us; `*` opens the gateway, not the platform, to all.',
  ),
  publicUrl: {
    name: 'TOLLGATE_PUBLIC_URL',
    standard: '',
    meaning: 'Address that people and programs reach us at; with https, cookies travel over https only.',
    parse: (value: string) => {
      if (value === '') return undefined;
      const good = /^https?:\/\/[^/\s]/.test(value) && URL.canParse(value);
      return good
        ? new URL(value).href.replace(/\/$/, '')
        : new Reason('must begin with https:// or http://');
    },
  } satisfies Setting<string | undefined>,
  registration: choice(
    'TOLLGATE_REGISTRATION',
    'open',
    ['open', 'closed'],
    'Whether people may make accounts of their own, unless an operator has decided it.',
  ),
  drainMs: integer('TOLLGATE_DRAIN_MS', 30_000, [0, 3_600_000], 'What running calls get at SIGTERM.'),
  openaiApiKey: optional('OPENAI_API_KEY', 'Makes the default catalogue serve OpenAI models.'),
  anthropicApiKey: optional('ANTHROPIC_API_KEY', 'Makes the default catalogue serve Anthropic models.'),
  geminiApiKey: optional('GEMINI_API_KEY', 'Makes the default catalogue serve Google models.'),
  faults: optional('TOLLGATE_FAULTS', 'For tests only: fault points that end the process or throw.'),
} as const;

type Values = {
  readonly [Key in keyof typeof SETTINGS]: Exclude<ReturnType<(typeof SETTINGS)[Key]['parse']>, Reason>;
};

export type Config = Values & {
  /** What `${NAME}` in a catalogue file is taken from. */
  readonly environment: Readonly<Record<string, string>>;
};

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'config-errors'; readonly errors: readonly string[] };

/**
 * Reads the process's own environment; `configFile` holds `NAME=value` lines and yields to the environment.
 */
export function loadConfig(configFile: string | undefined): ConfigResult {
  const own = upperCased(process.env);
  if (configFile === undefined) return readConfig(own);
  let file: Record<string, string | undefined>;
  try {
    file = parseEnv(readFileSync(configFile, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'config-errors', errors: [`--config ${configFile}: ${why}`] };
  }
  return readConfig({ ...upperCased(file), ...own });
}

/** Every wrong value at once, each naming its variable and the reason. */
export function readConfig(given: Environment): ConfigResult {
  const environment = upperCased(given);
  const errors = unknownSettings(environment);
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(SETTINGS)) {
    // An empty variable means the same as none, as in every shell script.
    const text = (environment[setting.name] ?? '').trim();
    const value = setting.parse(text === '' ? setting.standard : text);
    if (value instanceof Reason) errors.push(`${setting.name}: ${value.text}`);
    else values[key] = value;
  }
  if (values.redisUrl === undefined && Number(values.workers) > 1) {
    errors.push('TOLLGATE_WORKERS: more than one worker needs REDIS_URL, or each would count its own limits');
  }
  if (errors.length > 0) return { kind: 'config-errors', errors };
  values.dataDirectory = resolve(String(values.dataDirectory));
  values.environment = Object.freeze(definedOnly(environment));
  return { kind: 'config', config: Object.freeze(values) as unknown as Config };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that is read in lower case too stands under its usual name. */
function upperCased(environment: Environment): Environment {
  const named: Record<string, string | undefined> = { ...environment };
  for (const { name, anyCase } of Object.values<Setting<unknown>>(SETTINGS)) {
    if (anyCase && (named[name] ?? '').trim() === '') named[name] = named[name.toLowerCase()];
  }
  return named;
}

/** A misspelt variable would silently mean its default; so it is an error. */
function unknownSettings(environment: Environment): string[] {
  const known = new Set(Object.values(SETTINGS).map((setting) => setting.name as string));
  return Object.keys(environment)
    .filter((name) => name.startsWith('TOLLGATE_') && !known.has(name))
    .map((name) => `${name}: is not a setting of Tollgate`);
}

function definedOnly(record: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(record)) if (value !== undefined) defined[name] = value;
  return defined;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
