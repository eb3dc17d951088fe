/**
 * Who may import whom, as data (ARCHITECTURE.md draws the same table). A folder may always import itself.
 * `contracts` stands for every contract.ts and the files of PURE; `bounds` for src/bounds.ts.
 */
export interface Layer {
  /** The layer holds every file below this folder, or this one file. The longest match counts. */
  readonly path: string;
  readonly may: readonly string[];
  readonly reason: string;
}

/** Values and functions without a life: as free to import as a contract. Each with what makes it pure. */
export const PURE: Readonly<Record<string, string>> = {
  'src/operations/bounds.ts': 'limits are plain numbers',
  'src/alerts/bounds.ts': 'limits are plain numbers',
  'src/jobs/bounds.ts': 'limits are plain numbers',
  'src/alerts/thresholds.ts': 'when a condition holds, as plain numbers',
  'src/catalog/price-fields.ts': 'the prices of a model as a list',
  'src/catalog/price.ts': 'exact arithmetic over its arguments',
  'src/catalog/price-reader.ts': 'the form of a stored price snapshot',
  'src/catalog/cloud.ts': 'which fields and secrets a cloud has',
  'src/catalog/document.ts': 'the catalogue file as plain data',
  'src/catalog/fields.ts': 'catalogue entries as texts',
  'src/catalog/diff.ts': 'a comparison of two catalogues',
  'src/catalog/edit.ts': 'what applying a file makes of a catalogue',
  'src/catalog/freed.ts': 'the prices that become 0 between two catalogues',
  'src/catalog/resolve.ts': 'a catalogue with its names looked up',
  'src/catalog/entries.ts': 'a change of one entry as a catalogue file, judged by its rules',
  'src/catalog/entry-json.ts': 'catalogue entries as JSON',
  'src/ledger/doctor.ts': 'the promises of the books as a list',
  'src/ledger/receipt.ts': 'a charge, told from its figures',
  'src/ledger/end-record.ts': 'the record of a call, from its terms and its outcome',
  'src/ledger/shortfall.ts': 'why a call was not paid in full, from its figures',
  'src/ledger/journal/record.ts': 'the text of a record, from the record',
  'src/ledger/journal/record-reader.ts': 'a record, from its text',
  'src/ledger/log.ts': 'the rows of the logs as plain data',
  'src/accounts/api-key.ts': 'the form, checksum and hash of a key text',
  'src/accounts/login-contract.ts': 'types of logins, nothing else',
  'src/accounts/views.ts': 'types of what accounts and operators see, nothing else',
  'src/accounts/throttle.ts': 'how failures are counted, over its arguments',
  'src/accounts/token.ts': 'the form, signature and hash of token texts',
  'src/accounts/admit.ts': 'whether an account may call a model, from its arguments',
  'src/accounts/limits.ts': 'which policies count a call, from its arguments',
  'src/accounts/subscription.ts': 'a choice among the subscriptions it is shown',
  'src/operations/operation.ts': 'the form of an operation',
  'src/operations/failure.ts': 'the codes of the envelope',
  'src/operations/fields.ts': 'the schemas that operations share',
  'src/operations/logs/log-examples.ts': 'examples of the logs',
  'src/operations/logs/log-filter.ts': 'what the logs are narrowed to, read from a query',
  'src/operations/logs/log-items.ts': 'the rows of the logs as they are shown',
  'src/operations/keys/key-view.ts': 'the schema of a key, what can be changed of it, and how it is shown',
  'src/operations/schema.ts': 'schemas as plain data',
  'src/upstream/guard/byok-address.ts': 'the verdict on an address text, without asking anybody',
  'src/upstream/guard/webhook-address.ts': 'the same for webhooks',
};

const DOMAIN = ['src/kernel', 'src/bounds.ts', 'contracts'];

const domain = (path: string): Layer => ({
  path,
  may: DOMAIN,
  reason: 'a domain knows the kernel and the contracts of its neighbours, never how they are done',
});

const adapter = (path: string): Layer => ({
  path,
  may: DOMAIN,
  reason: 'an adapter knows the kernel and the contracts it implements, so that it can be replaced',
});

/** All that is wired into a server. */
const PARTS: readonly string[] = [
  ...DOMAIN,
  'src/config.ts',
  'src/setup.ts',
  ...['protocol', 'catalog', 'accounts', 'gate', 'ledger', 'conversation'].map((name) => `src/${name}`),
  ...['alerts', 'jobs', 'gateway', 'clickhouse'].map((name) => `src/${name}`),
  ...['platform', 'operations', 'upstream', 'store', 'http', 'console', 'open-telemetry'].map(
    (name) => `src/${name}`,
  ),
];

export const LAYERS: readonly Layer[] = [
  { path: 'src/bounds.ts', may: [], reason: 'limits are plain numbers' },
  { path: 'src/kernel', may: [], reason: 'the kernel is what everything stands on, so it stands on nothing' },
  {
    path: 'src/config.ts',
    may: ['src/kernel', 'src/bounds.ts', 'src/setting.ts'],
    reason: 'configuration is read before anything else exists',
  },
  {
    path: 'src/setting.ts',
    may: ['src/network-text.ts'],
    reason: 'kinds of settings, over the texts they are given',
  },
  { path: 'src/network-text.ts', may: [], reason: 'what texts of settings mean, over its arguments' },
  {
    path: 'src/protocol',
    may: ['src/kernel', 'src/bounds.ts'],
    reason: 'protocol is a pure island: it could be published as a library of its own',
  },
  domain('src/catalog'),
  domain('src/accounts'),
  domain('src/gate'),
  domain('src/ledger'),
  domain('src/conversation'),
  domain('src/alerts'),
  domain('src/jobs'),
  adapter('src/store'),
  adapter('src/upstream'),
  adapter('src/open-telemetry'),
  {
    path: 'src/clickhouse',
    may: [...DOMAIN, 'src/upstream'],
    reason: 'sending the call log knows the store by its contract, and connections by their one home',
  },
  {
    path: 'src/gateway',
    may: [...DOMAIN, 'src/protocol', 'src/upstream'],
    reason: 'the pipeline reaches stores and gates through contracts only',
  },
  {
    path: 'src/operations',
    may: [...DOMAIN, 'src/config.ts', 'src/accounts', 'src/catalog', 'src/store', 'src/upstream'],
    reason: 'an operation is what a person may do: its schema, its rule, and the store it works on',
  },
  {
    path: 'src/platform',
    may: [...DOMAIN, 'src/operations'],
    reason: 'the platform carries operations over HTTP and describes them; it never calls the gateway',
  },
  {
    path: 'src/console',
    may: ['src/kernel', 'src/bounds.ts'],
    reason: 'the console is files; what its pages show comes through the platform API',
  },
  {
    path: 'console/build',
    may: ['src/console', 'src/cli/client-file.ts'],
    reason: 'the build writes the client of the platform API and bundles the pages',
  },
  { path: 'console', may: [], reason: 'pages know the server only through its API, as any client does' },
  {
    path: 'src/http',
    may: [
      ...[...DOMAIN, 'src/protocol', 'src/gateway', 'src/platform', 'src/operations', 'src/config.ts'],
      'src/console',
    ],
    reason: 'the server binds endpoints to sockets and knows no store',
  },
  {
    path: 'src/setup.ts',
    may: [...DOMAIN, 'src/config.ts', 'src/catalog', 'src/accounts', 'src/store'],
    reason: 'what the server and the commands both do with an open store, and no more',
  },
  { path: 'src/app.ts', may: [...PARTS, 'src/app'], reason: 'app.ts is the one list of what is wired' },
  { path: 'src/app', may: PARTS, reason: 'each file opens one part, and nothing here starts programs' },
  { path: 'src/cli', may: ['src'], reason: 'a command may use every part of the product' },
  {
    path: 'src/main.ts',
    may: ['src/app.ts', 'src/cli', 'src/config.ts', 'src/kernel'],
    reason: 'main.ts only chooses a command',
  },
  {
    path: 'sim',
    may: ['src/kernel'],
    reason: 'a simulator that shared our protocol code would share its mistakes',
  },
  {
    path: 'release',
    may: ['src/console'],
    reason: 'a release packs the product as it is, and knows only whether its console is built',
  },
  { path: 'bench', may: ['src/kernel', 'sim'], reason: 'a benchmark measures the product from outside' },
  {
    path: 'bench/ledger',
    may: ['bench', 'contracts', 'src/kernel', 'src/store'],
    reason: 'settling has no outside: it is measured where the settler calls it, on real databases',
  },
  {
    path: 'bench/logs',
    may: ['bench', 'contracts', 'src/kernel', 'src/store'],
    reason: 'what a page costs is measured where the platform asks the store, on real databases',
  },
  {
    path: 'bench/start',
    may: ['bench', 'src/kernel', 'src/store'],
    reason: 'a server is started from outside, on a database that was filled before',
  },
  {
    path: 'bench/scale/costs',
    may: ['bench', 'contracts', 'src/kernel', 'src/store'],
    reason:
      'what a call costs its databases is asked of them, and settling is measured where the settler calls it',
  },
  {
    path: 'bench/targets',
    may: ['bench', 'contracts', 'src/kernel', 'src/store'],
    reason:
      'a target brings its databases, and they are those of the product; its server is asked from outside',
  },
  {
    path: 'bench/growth',
    may: ['bench', 'contracts', 'src/kernel', 'src/store'],
    reason: 'a hundred thousand accounts are written where the server finds them, not created one by one',
  },
  { path: 'test', may: ['src', 'sim', 'bench', 'release'], reason: 'system tests may use everything' },
  {
    path: 'vitest.config.ts',
    may: ['test/support/suite'],
    reason: 'the runner knows the order of files, and nothing of what they test',
  },
];

/** Folders side by side that know nothing of each other: a new one of the kind touches none of them. */
export const STRANGERS: readonly { readonly paths: readonly string[]; readonly reason: string }[] = [
  {
    paths: ['chat', 'responses', 'messages', 'gemini', 'images'].map((name) => `src/protocol/${name}`),
    reason: 'a dialect knows the hub and no other dialect, so that a fifth one changes none of them',
  },
];

/** Files that only these may import. */
export const PRIVATE: readonly {
  readonly path: string;
  readonly to: readonly string[];
  readonly reason: string;
}[] = [
  {
    path: 'src/app.ts',
    to: ['src/main.ts', 'src/cli', 'test'],
    reason: 'whoever imports app.ts imports the whole product',
  },
  { path: 'src/main.ts', to: [], reason: 'main.ts runs when it is imported' },
];

/** Dynamic imports that leave their layer on purpose: exactly these. */
export const DYNAMIC: readonly { readonly from: string; readonly to: string; readonly reason: string }[] = [
  {
    from: 'src/cli/demo/demo.ts',
    to: 'sim/server.ts',
    reason: 'the demo brings its own vendors, and only the demo loads them',
  },
];

const OPEN_TELEMETRY = [
  ...['api', 'core', 'resources', 'sdk-trace', 'sdk-metrics', 'sdk-logs', 'otlp-exporter-base'],
  ...['exporter-trace-otlp-proto', 'exporter-metrics-otlp-proto', 'exporter-logs-otlp-proto'],
];

/** Packages and the part of the product that may know them; Node's own modules are in homes.ts. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pg: ['src/store'],
  nodemailer: ['src/upstream'],
  ioredis: ['src/gate/redis'],
  '@smithy/signature-v4': ['src/upstream/cloud'],
  yaml: ['src/catalog'],
  'gpt-tokenizer': ['src/protocol'],
  '@scalar/api-reference': ['src/platform'],
  ...Object.fromEntries(OPEN_TELEMETRY.map((name) => [`@opentelemetry/${name}`, ['src/open-telemetry']])),
  pino: ['src/http', 'src/cli', 'src/app.ts'],
  'prom-client': ['src/http', 'src/app.ts'],
};
