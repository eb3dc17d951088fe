import { within } from './boundaries.ts';
import { type Import, importsOf } from './imports.ts';
import { child, children, dottedName, lineAt, type SyntaxNode, stringValue, walk } from './syntax.ts';
import { codeFiles, isTest, type SourceFile, type Tree } from './tree.ts';
import type { Violation } from './violation.ts';

/** A thing with one home: what it looks like in the code, where it may stand, and why. */
interface Home {
  readonly rule: string;
  readonly places: readonly string[];
  readonly reason: string;
  /** Names what was found, or nothing. */
  readonly seen: (node: SyntaxNode) => string | undefined;
}

const SQL =
  /^\s*(select\s[\s\S]*\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/i;
const DDL =
  /^\s*(create|alter|drop|truncate)\s+(or\s+replace\s+)?(table|index|unique|trigger|function|database|role)\s/i;

const TIME = new Set(['Date.now', 'performance.now', 'process.hrtime', 'process.hrtime.bigint']);
const CHANCE = new Set(['Math.random', 'crypto.getRandomValues', 'crypto.randomUUID']);
const MONEY_HOMES = ['src/kernel/money.ts', 'src/catalog/price.ts'];

export const HOMES: readonly Home[] = [
  {
    rule: 'environment',
    places: ['src/config.ts'],
    reason: 'the environment is read once, in src/config.ts',
    seen: (node) => (isReference(node) && dottedName(node) === 'process.env' ? 'process.env' : undefined),
  },
  {
    rule: 'time',
    places: ['src/kernel/time/clock.ts'],
    reason: 'time comes from the clock given, so that tests need not wait',
    seen: (node) => seenTime(node),
  },
  {
    rule: 'randomness',
    places: ['src/kernel/random.ts', 'src/kernel/id.ts'],
    reason: 'randomness comes from the port given, so that a seed replays a failure',
    seen: (node) => seenCall(node, CHANCE),
  },
  {
    rule: 'sql',
    // What is said to ClickHouse has no values at all: rows are the body, and names are checked settings.
    places: ['src/store', 'src/clickhouse/statements.ts'],
    reason: 'SQL text stands in src/store only, where every value is a parameter',
    seen: (node) => {
      const text = stringValue(node);
      return text !== undefined && (SQL.test(text) || DDL.test(text)) ? 'SQL text' : undefined;
    },
  },
  {
    rule: 'sockets',
    places: ['src/upstream'],
    reason: 'only src/upstream opens connections, because only it guards addresses and secrets',
    seen: (node) => seenCall(node, new Set(['fetch', 'globalThis.fetch'])),
  },
  {
    rule: 'money',
    places: MONEY_HOMES,
    reason: 'products and quotients of money stand in kernel/money.ts and catalog/price.ts, exact and named',
    seen: (node) => seenMoneyProduct(node),
  },
  {
    rule: 'money',
    places: [],
    reason: 'money is bigint micro-units; binary floating point never touches it',
    seen: (node) => seenMoneyNumber(node),
  },
];

/** Node's own modules that have a home. Names in `free` open nothing, and types never do. */
const MODULES: readonly {
  readonly rule: string;
  readonly modules: readonly string[];
  readonly places: readonly string[];
  readonly free: readonly string[];
  readonly reason: string;
}[] = [
  {
    rule: 'environment',
    modules: ['process'],
    places: [],
    free: ['pid', 'platform', 'exit', 'stdin', 'stdout', 'stderr'],
    reason: 'the environment is read once, in src/config.ts',
  },
  {
    rule: 'time',
    modules: ['perf_hooks'],
    places: ['src/kernel/time/clock.ts'],
    free: ['monitorEventLoopDelay', 'PerformanceObserver', 'constants'],
    reason: 'time comes from the clock given, so that tests need not wait',
  },
  {
    rule: 'processes',
    modules: ['child_process', 'cluster'],
    places: ['src/store/embedded/server.ts', 'src/cli'],
    free: [],
    reason: 'only the embedded database and commands start programs',
  },
  {
    rule: 'sockets',
    modules: ['net', 'tls', 'dgram', 'dns', 'dns/promises'],
    // A lock's socket is a file of the data directory: whoever asks there stays on the machine. Who watches
    // the own output connects to nobody.
    places: ['src/upstream', 'src/store/embedded/lock-socket.ts', 'src/cli/closed-output.ts'],
    free: ['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress'],
    reason: 'only src/upstream opens connections, because only it guards addresses and secrets',
  },
  {
    rule: 'sockets',
    modules: ['http', 'https', 'http2'],
    places: ['src/upstream'],
    free: ['createServer', 'Server', 'IncomingMessage', 'ServerResponse', 'STATUS_CODES', 'METHODS'],
    reason: 'servers live in src/http, clients in src/upstream',
  },
  {
    rule: 'randomness',
    modules: ['crypto'],
    places: ['src/kernel/random.ts', 'src/kernel/id.ts'],
    free: [
      'hash',
      'createHash',
      'createHmac',
      'hkdfSync',
      'hkdf',
      'scrypt',
      'scryptSync',
      'timingSafeEqual',
    ].concat(['createCipheriv', 'createDecipheriv', 'createSecretKey', 'createPrivateKey', 'sign']),
    reason: 'randomness comes from the port given, so that a seed replays a failure',
  },
];

/** Folders that do no input or output at all, and the modules of Node they may use. */
const ISLANDS: Readonly<Record<string, readonly string[]>> = {
  'src/protocol': ['node:buffer', 'node:module', 'node:string_decoder', 'node:util'],
  'src/kernel': ['node:buffer', 'node:crypto', 'node:util', 'node:zlib'],
};

/** Their one harbour: it reads the data of a package, as loading the package's code would. */
const HARBOURS: Readonly<Record<string, readonly string[]>> = {
  'src/protocol/meter/vocabulary.ts': ['node:fs'],
};

export function checkHomes(tree: Tree): readonly Violation[] {
  const files = codeFiles(tree).filter((file) => file.path.startsWith('src/') && !isTest(file.path));
  return files.flatMap((file) => [...checkNodes(file), ...importsOf(file).flatMap(checkModule)]);
}

function checkNodes(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  const rules = HOMES.filter((home) => !within(file.path, home.places));
  walk(file, (node) => {
    for (const { rule, reason, seen } of rules) {
      const message = seen(node);
      if (message === undefined) continue;
      found.push({ rule, path: file.path, line: lineAt(file, node.start), message, reason });
    }
  });
  return found;
}

function checkModule(item: Import): readonly Violation[] {
  if (item.typeOnly || !item.specifier.startsWith('node:')) return [];
  const found: Violation[] = [];
  const name = item.specifier.slice('node:'.length);
  const at = { path: item.from, line: item.line };
  for (const { rule, modules, places, free, reason } of MODULES) {
    if (!modules.includes(name) || within(item.from, places)) continue;
    const taken = item.names.filter((one) => !free.includes(one));
    if (taken.length > 0)
      found.push({ ...at, rule, message: `takes ${taken.join(', ')} of ${name}`, reason });
  }
  for (const [folder, allowed] of Object.entries(ISLANDS)) {
    if (!within(item.from, [folder]) || allowed.includes(item.specifier)) continue;
    if (HARBOURS[item.from]?.includes(item.specifier)) continue;
    const reason = `${folder} does no input or output`;
    found.push({ ...at, rule: 'islands', message: `imports ${item.specifier}`, reason });
  }
  return found;
}

function isReference(node: SyntaxNode): boolean {
  return node.type === 'MemberExpression';
}

function seenTime(node: SyntaxNode): string | undefined {
  if (node.type === 'NewExpression' && dottedName(child(node, 'callee')) === 'Date') {
    return children(node, 'arguments').length === 0 ? 'new Date()' : undefined;
  }
  return seenCall(node, TIME);
}

/** The call, or the bare mention of a member: `const now = Date.now` is the same thing. */
function seenCall(node: SyntaxNode, names: ReadonlySet<string>): string | undefined {
  const target = node.type === 'CallExpression' ? child(node, 'callee') : node;
  if (target === undefined || (node.type !== 'CallExpression' && !isReference(node))) return undefined;
  if (node.type === 'CallExpression' && isReference(target)) return undefined;
  const name = dottedName(target);
  return name !== undefined && names.has(name) ? name : undefined;
}

const PRODUCTS = new Set(['*', '/', '%', '**', '*=', '/=', '%=']);

function isMoneyName(node: SyntaxNode | undefined): boolean {
  return dottedName(node)?.endsWith('Micro') ?? false;
}

function seenMoneyProduct(node: SyntaxNode): string | undefined {
  if (node.type !== 'BinaryExpression' && node.type !== 'AssignmentExpression') return undefined;
  if (!PRODUCTS.has(String(node.operator))) return undefined;
  const sides = [child(node, 'left'), child(node, 'right')];
  const money = sides.find(isMoneyName);
  return money === undefined ? undefined : `${dottedName(money)} ${String(node.operator)}`;
}

function seenMoneyNumber(node: SyntaxNode): string | undefined {
  if (node.type === 'CallExpression') {
    const name = dottedName(child(node, 'callee'));
    const converted = name === 'Number' || name === 'parseFloat' || name === 'parseInt';
    const [argument] = children(node, 'arguments');
    return converted && isMoneyName(argument) ? `${name}(${dottedName(argument)})` : undefined;
  }
  const named = child(node, 'key') ?? (node.type === 'Identifier' ? node : undefined);
  const annotation = child(node, 'typeAnnotation');
  const type = annotation === undefined ? undefined : child(annotation, 'typeAnnotation');
  if (type?.type !== 'TSNumberKeyword' || !isMoneyName(named)) return undefined;
  return `${dottedName(named)} is declared a number`;
}
