import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from 'yaml';
import {
  CATALOG_FILE_ALIASES_MAX,
  CATALOG_FILE_BYTES_MAX,
  CATALOG_FILE_DEPTH_MAX,
  CATALOG_FILE_NODES_MAX,
} from '../../bounds.ts';
import type { Problems } from './problems.ts';

/** A YAML document as plain data that still knows its lines and the exact text of its numbers. */
export type Tree = TreeMap | TreeList | TreeScalar;

export interface TreeMap {
  readonly kind: 'map';
  readonly line: number;
  readonly entries: ReadonlyMap<string, Tree>;
}

export interface TreeList {
  readonly kind: 'list';
  readonly line: number;
  readonly items: readonly Tree[];
}

export interface TreeScalar {
  readonly kind: 'scalar';
  readonly line: number;
  readonly value: string | number | boolean | null;
  /** A string's content; a number exactly as it is written. */
  readonly text: string;
  /** `environment`: only a text can come from there, so readers take numbers and switches out of it. */
  readonly origin: 'file' | 'environment' | 'missing';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Nothing when the text is no readable YAML; the problems say why. */
export function readTree(text: string, environment: Environment, problems: Problems): Tree | undefined {
  if (Buffer.byteLength(text) > CATALOG_FILE_BYTES_MAX) {
    problems.add('', `the file is larger than ${CATALOG_FILE_BYTES_MAX} bytes`, 0);
    return undefined;
  }
  const lines = new LineCounter();
  // Even nesting that exhausts the stack comes back as one of the document's errors.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  for (const { message, pos } of [...document.errors, ...document.warnings]) {
    problems.add('', message, lines.linePos(pos[0]).line);
  }
  if (problems.found) return undefined;
  const walk: Walk = { document, lines, environment, problems, nodes: 0, aliases: 0 };
  return toTree(document.contents, '', 0, walk);
}

interface Walk {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly environment: Environment;
  readonly problems: Problems;
  /** Counts through aliases, so that a bomb of them ends. */
  nodes: number;
  aliases: number;
}

function toTree(node: Node | null, path: string, depth: number, walk: Walk): Tree {
  const line = node?.range ? walk.lines.linePos(node.range[0]).line : 1;
  if (++walk.nodes > CATALOG_FILE_NODES_MAX || depth > CATALOG_FILE_DEPTH_MAX) {
    walk.problems.add(path, 'the file is nested too deeply or repeats too much through aliases', line);
    return { kind: 'scalar', line, value: null, text: '', origin: 'missing' };
  }
  if (isAlias(node)) {
    const target = ++walk.aliases <= CATALOG_FILE_ALIASES_MAX ? node.resolve(walk.document) : undefined;
    if (target !== undefined) return toTree(target, path, depth + 1, walk);
    walk.problems.add(path, `alias *${node.source} means nothing, or there are too many aliases`, line);
  }
  if (node?.tag !== undefined) walk.problems.add(path, `tags such as ${node.tag} are not taken`, line);
  if (isMap(node)) return { kind: 'map', line, entries: toEntries(node.items, path, depth, walk) };
  if (isSeq(node)) {
    const items = node.items.map((item, index) => toTree(item as Node, `${path}[${index}]`, depth + 1, walk));
    return { kind: 'list', line, items };
  }
  return isScalar(node) ? toScalar(node, path, line, walk) : emptyScalar(line);
}

function toEntries(
  pairs: readonly { readonly key: unknown; readonly value: unknown }[],
  path: string,
  depth: number,
  walk: Walk,
): ReadonlyMap<string, Tree> {
  const entries = new Map<string, Tree>();
  for (const { key, value } of pairs) {
    const name = isScalar(key) ? String(key.value) : '(not a text)';
    const child = path === '' ? name : `${path}.${name}`;
    entries.set(name, toTree(value as Node | null, child, depth + 1, walk));
  }
  return entries;
}

function emptyScalar(line: number): TreeScalar {
  return { kind: 'scalar', line, value: null, text: '', origin: 'file' };
}

function toScalar(node: Scalar, path: string, line: number, walk: Walk): TreeScalar {
  const { value } = node;
  if (typeof value === 'string') return substitute(value, path, line, walk);
  if (typeof value === 'number')
    return { kind: 'scalar', line, value, text: node.source ?? '', origin: 'file' };
  if (typeof value === 'boolean') return { kind: 'scalar', line, value, text: String(value), origin: 'file' };
  return emptyScalar(line);
}

/** `$${` is a literal `${`; a name; or something that was meant to be one. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}|\$\{/g;

function substitute(text: string, path: string, line: number, walk: Walk): TreeScalar {
  let origin: TreeScalar['origin'] = 'file';
  const replaced = text.replace(REFERENCE, (found: string, name: string | undefined) => {
    if (found === '$${') return '${';
    const isSet = name !== undefined && Object.hasOwn(walk.environment, name);
    const value = isSet ? walk.environment[name] : undefined;
    if (value !== undefined) {
      if (origin === 'file') origin = 'environment';
      return value;
    }
    origin = 'missing';
    const problem =
      name === undefined
        ? '"${" begins no variable; write "$${" for the characters themselves'
        : `the environment variable ${name} is not set`;
    walk.problems.add(path, problem, line);
    return '';
  });
  return { kind: 'scalar', line, value: replaced, text: replaced, origin };
}
