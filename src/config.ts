import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { BODIES_IN_FLIGHT_BYTES_MAX } from './bounds.ts';
import {
  choice,
  headerText,
  hosts,
  integer,
  networks,
  noProxy,
  optional,
  optionalDecimal,
  origins,
  plainName,
  proxy,
  Reason,
  type Setting,
  sender,
  smtp,
  text,
  webAddress,
} from './setting.ts';

const SECRET_BYTES_MIN = 32;
const REDIS_KINDS = [/^rediss?:\/\/[^/\s]/, /^sentinels?:\/\/[^/\s]/];
const REDIS_ADDRESSES = 'every address must begin with redis:// or rediss://, or every one with sentinel://';

/**
 * The one place that reads the environment. Every setting is a row of this table, and the table of
 * docs/settings.md is checked against it.
 */
export const SETTINGS = {
  host: text('TOLLGATE_HOST', '0.0.0.0', 'Address to listen on.'),
  port: integer('TOLLGATE_PORT', 8080, [0, 65_535], 'Port to listen on. 0 chooses a free port.'),
  opsHost: text(
    'TOLLGATE_OPS_HOST',
    '127.0.0.1',
    'Address that serves `/metrics`. Let only your scraper reach it.',
  ),
  opsPort: integer(
    'TOLLGATE_OPS_PORT',
    0,
    [0, 65_535],
    'Port that serves `/metrics`, `/healthz` and `/readyz`. 0 chooses a free port and logs it.',
  ),
  workers: integer(
    'TOLLGATE_WORKERS',
    1,
    [1, 64],
    'Number of processes that serve the port, about one for each core. More than one needs `REDIS_URL`.',
  ),
  dataDirectory: text(
    'TOLLGATE_DATA',
    './data',
    'Data directory. It holds the embedded database and its password, the journal and the secret.',
  ),
  role: choice(
    'TOLLGATE_ROLE',
    'all',
    ['all', 'gateway', 'platform'],
    'What this process serves: the gateway, the platform API with its documents, or both.',
  ),
  secret: {
    name: 'TOLLGATE_SECRET',
    standard: '',
    meaning:
      'Root of the encryption keys, at least 32 bytes. If unset, one is created in the data directory.',
    parse: (value: string) => {
      if (value === '') return undefined;
      if (Buffer.byteLength(value) < SECRET_BYTES_MIN) return new Reason('must have at least 32 bytes');
      return value;
    },
  } satisfies Setting<string | undefined>,
  catalogFile: optional('TOLLGATE_CATALOG', 'Catalogue file to apply at start.'),
  databaseUrl: {
    name: 'DATABASE_URL',
    standard: '',
    meaning: 'Your PostgreSQL. If unset, the embedded PostgreSQL in the data directory.',
    parse: parsePostgres,
  } satisfies Setting<string | undefined>,
  databaseDirectUrl: {
    name: 'TOLLGATE_DATABASE_DIRECT_URL',
    standard: '',
    meaning:
      'The same PostgreSQL without a pooler. Needed if `DATABASE_URL` is PgBouncer in transaction mode.',
    parse: parsePostgres,
  } satisfies Setting<string | undefined>,
  redisUrl: {
    name: 'REDIS_URL',
    standard: '',
    meaning:
      'Redis that counts limits and holds for all nodes; a cluster, or Sentinels, as a comma list. If unset: in memory.',
    parse: (value: string) => {
      if (value === '') return undefined;
      const entries = value.split(',').map((entry) => entry.trim());
      const good = REDIS_KINDS.some((kind) =>
        entries.every((entry) => kind.test(entry) && URL.canParse(entry)),
      );
      return good ? entries.join(',') : new Reason(REDIS_ADDRESSES);
    },
  } satisfies Setting<string | undefined>,
  timeZone: {
    name: 'TOLLGATE_TIMEZONE',
    standard: 'UTC',
    meaning: 'Time zone of months (spending caps) and of all times in input and output.',
    parse: (value: string) => (isTimeZone(value) ? value : new Reason('must be an IANA time zone, e.g. UTC')),
  } satisfies Setting<string>,
  creditsPerYuan: integer('TOLLGATE_CREDITS_PER_YUAN', 1000, [1, 1_000_000], 'Credits that one yuan buys.'),
  yuanPerDollar: optionalDecimal(
    'TOLLGATE_YUAN_PER_DOLLAR',
    'Yuan that a dollar costs: vendors’ list prices in dollars are shown, checked and taken over by it.',
  ),
  nodeName: text(
    'TOLLGATE_NODE',
    'local',
    'Name of this node. A `nodes` row of the catalogue sets its rate.',
  ),
  logLevel: choice(
    'TOLLGATE_LOG_LEVEL',
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'Lowest level to log.',
  ),
  callLogLevel: choice(
    'TOLLGATE_CALL_LOG_LEVEL',
    'debug',
    ['debug', 'info'],
    'Level of the line that each ended call has in the log. `info` shows it without `debug`.',
  ),
  connectTimeoutMs: integer(
    'TOLLGATE_CONNECT_TIMEOUT_MS',
    5_000,
    [10, 120_000],
    'Time to connect to a vendor.',
  ),
  firstByteTimeoutMs: integer(
    'TOLLGATE_FIRST_BYTE_TIMEOUT_MS',
    120_000,
    [10, 3_600_000],
    'Time from sending the request to the first byte, and to the first event, of a streamed answer.',
  ),
  plainTimeoutMs: integer(
    'TOLLGATE_PLAIN_TIMEOUT_MS',
    600_000,
    [10, 3_600_000],
    'Time to the first byte of an answer that is not streamed; and the same time again to receive it.',
  ),
  idleTimeoutMs: integer(
    'TOLLGATE_IDLE_TIMEOUT_MS',
    60_000,
    [10, 3_600_000],
    'Longest pause within an answer.',
  ),
  clientStallMs: integer(
    'TOLLGATE_CLIENT_STALL_MS',
    60_000,
    [10, 3_600_000],
    'A client that reads nothing for this long is disconnected.',
  ),
  keepAliveMs: integer(
    'TOLLGATE_KEEP_ALIVE_MS',
    15_000,
    [10, 3_600_000],
    'Pause in a stream after which the client gets a keep-alive; checked once a second.',
  ),
  bodyBudgetBytes: integer(
    'TOLLGATE_BODY_BUDGET_BYTES',
    BODIES_IN_FLIGHT_BYTES_MAX,
    [1_048_576, 1_099_511_627_776],
    'Bytes of bodies and whole answers in memory, at most half for one account. Above it: error 50301.',
  ),
  conversationDays: integer(
    'TOLLGATE_CONVERSATION_DAYS',
    30,
    [0, 3_650],
    'Days for which answers of Responses can be retrieved. 0 stores no conversations.',
  ),
  logMonths: integer(
    'TOLLGATE_LOG_MONTHS',
    0,
    [0, 1_200],
    'Whole months of call and consumption logs to keep, besides the current one. 0 keeps all.',
  ),
  clickhouseUrl: {
    name: 'TOLLGATE_CLICKHOUSE_URL',
    standard: '',
    meaning:
      'HTTP address of a ClickHouse that gets the call log. If unset: none. [How it works](logs.md#clickhouse).',
    parse: parseClickhouse,
  } satisfies Setting<string | undefined>,
  clickhouseUser: headerText('TOLLGATE_CLICKHOUSE_USER', 'default', 'User of that ClickHouse.'),
  clickhousePassword: headerText('TOLLGATE_CLICKHOUSE_PASSWORD', '', 'Password of that user.'),
  clickhouseDatabase: plainName('TOLLGATE_CLICKHOUSE_DATABASE', 'tollgate', 'Database of the table.'),
  clickhouseTable: plainName('TOLLGATE_CLICKHOUSE_TABLE', 'calls', 'Table that calls are inserted into.'),
  mediaHosts: hosts(
    'TOLLGATE_MEDIA_HOSTS',
    'Private hosts (comma list of `host` or `host:port`) that media may be fetched from.',
  ),
  byokHosts: hosts(
    'TOLLGATE_BYOK_HOSTS',
    'Private hosts (as above) that a BYOK credential may have as its address.',
  ),
  httpsProxy: proxy('HTTPS_PROXY', 'Proxy (`http://user:password@host:port`) to https vendors and media.'),
  httpProxy: proxy('HTTP_PROXY', 'The same for those at http addresses.'),
  noProxy,
  trustedProxies: networks(
    'TOLLGATE_TRUSTED_PROXIES',
    'Proxies (comma list of addresses or CIDRs) whose `X-Forwarded-For` is trusted.',
  ),
  corsOrigins: origins(
    'TOLLGATE_CORS_ORIGINS',
    'Origins (comma list of `https://host`, `app://host`) whose pages may call. `*` and `null` are for the gateway only.',
  ),
  publicUrl: webAddress(
    'TOLLGATE_PUBLIC_URL',
    'Public address of this server. If it is https, cookies are sent over https only.',
  ),
  otlpEndpoint: webAddress(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'Receiver of OpenTelemetry (`http://host:4318`). If unset, none of it is loaded. Other `OTEL_` names: see below.',
  ),
  traceVendors: choice(
    'TOLLGATE_TRACE_VENDORS',
    'off',
    ['off', 'on'],
    'Whether vendors get the trace context (`traceparent`, `tracestate`) of their calls. Needs OpenTelemetry.',
  ),
  smtpUrl: smtp(
    'TOLLGATE_SMTP_URL',
    'Mail server (`smtp://user:password@host:587`, `smtps://…`) for alerts and account mails. If unset: no e-mail.',
  ),
  smtpTls: choice(
    'TOLLGATE_SMTP_TLS',
    'required',
    ['required', 'optional'],
    'Whether mail is sent only encrypted. `optional` is for a mail server on the same machine.',
  ),
  mailFrom: sender(
    'TOLLGATE_MAIL_FROM',
    'Sender of e-mail, such as `Tollgate <alerts@example.com>`. Needed with `TOLLGATE_SMTP_URL`.',
  ),
  webhookHosts: hosts(
    'TOLLGATE_WEBHOOK_HOSTS',
    'Private hosts (as `TOLLGATE_BYOK_HOSTS`) that a webhook of alerts may have as its address.',
  ),
  registration: choice(
    'TOLLGATE_REGISTRATION',
    'open',
    ['open', 'closed'],
    'Whether people may register accounts. A setting by an operator takes precedence.',
  ),
  drainMs: integer(
    'TOLLGATE_DRAIN_MS',
    30_000,
    [0, 3_600_000],
    'Time that running calls get to end after SIGTERM.',
  ),
  openaiApiKey: optional('OPENAI_API_KEY', 'Adds the OpenAI models to the default catalogue.'),
  anthropicApiKey: optional('ANTHROPIC_API_KEY', 'Adds the Anthropic models to the default catalogue.'),
  geminiApiKey: optional('GEMINI_API_KEY', 'Adds the Google models to the default catalogue.'),
  faults: optional(
    'TOLLGATE_FAULTS',
    'For tests only: points in the code where the process ends or an error is thrown.',
  ),
} as const;

type Values = {
  readonly [Key in keyof typeof SETTINGS]: Exclude<ReturnType<(typeof SETTINGS)[Key]['parse']>, Reason>;
};

export type Config = Values & {
  /** Where `${NAME}` in a catalogue file takes its value from. */
  readonly environment: Readonly<Record<string, string>>;
};

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'config-errors'; readonly errors: readonly string[] };

/**
 * Reads the environment and `configFile`, a file of `NAME=value` lines. The environment takes precedence.
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

/**
 * Puts variables of the configuration file into the environment, for packages that read their own settings
 * there.
 */
export function shareVariables({ environment }: Config, prefix: string): void {
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith(prefix)) process.env[name] = value;
  }
}

/** Reports all wrong values at once, each with its variable and the reason. */
export function readConfig(given: Environment): ConfigResult {
  const environment = upperCased(given);
  const errors = unknownSettings(environment);
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(SETTINGS)) {
    // An empty variable means the same as an unset one, as in shell scripts.
    const text = (environment[setting.name] ?? '').trim();
    const value = setting.parse(text === '' ? setting.standard : text);
    if (value instanceof Reason) errors.push(`${setting.name}: ${value.text}`);
    else values[key] = value;
  }
  if (values.redisUrl === undefined && Number(values.workers) > 1) {
    errors.push(
      'TOLLGATE_WORKERS: more than one worker needs REDIS_URL, because the workers share the limits',
    );
  }
  if (values.databaseUrl === undefined && values.databaseDirectUrl !== undefined) {
    errors.push('TOLLGATE_DATABASE_DIRECT_URL: needs DATABASE_URL, whose way around a pooler it is');
  }
  errors.push(...mailProblems(values));
  if (errors.length > 0) return { kind: 'config-errors', errors };
  values.dataDirectory = resolve(String(values.dataDirectory));
  values.environment = Object.freeze(definedOnly(environment));
  return { kind: 'config', config: Object.freeze(values) as unknown as Config };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A mail needs a sender, and its links an address that no request can choose. */
function mailProblems({ smtpUrl, mailFrom, publicUrl }: Readonly<Record<string, unknown>>): string[] {
  if (smtpUrl === undefined) return [];
  const needs = 'TOLLGATE_SMTP_URL: needs';
  return [
    ...(mailFrom === undefined ? [`${needs} TOLLGATE_MAIL_FROM, the sender of its mails`] : []),
    ...(publicUrl === undefined ? [`${needs} TOLLGATE_PUBLIC_URL, where the links of its mails lead`] : []),
  ];
}

/** A variable that is read in lower case too stands under its usual name. */
function upperCased(environment: Environment): Environment {
  const named: Record<string, string | undefined> = { ...environment };
  for (const { name, anyCase } of Object.values<Setting<unknown>>(SETTINGS)) {
    if (anyCase && (named[name] ?? '').trim() === '') named[name] = named[name.toLowerCase()];
  }
  return named;
}

/** A misspelt variable would silently leave the default in place, so it is an error. */
function unknownSettings(environment: Environment): string[] {
  const known = new Set(Object.values(SETTINGS).map((setting) => setting.name as string));
  return Object.keys(environment)
    .filter((name) => name.startsWith('TOLLGATE_') && !known.has(name))
    .map((name) => `${name}: not a setting of Tollgate, check the spelling`);
}

function definedOnly(record: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(record)) if (value !== undefined) defined[name] = value;
  return defined;
}

function parsePostgres(value: string): string | undefined | Reason {
  if (value === '') return undefined;
  return /^postgres(ql)?:\/\//.test(value) ? value : new Reason('must begin with postgres://');
}

function parseClickhouse(value: string): string | undefined | Reason {
  if (value === '') return undefined;
  if (!/^https?:\/\/[^/\s]/.test(value) || !URL.canParse(value)) {
    return new Reason('must begin with https:// or http://');
  }
  const { username, password, search, hash } = new URL(value);
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    return new Reason('must be an address only; user and password have settings of their own');
  }
  return value;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
