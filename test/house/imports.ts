import { posix } from 'node:path';
import { child, children, dottedName, lineAt, type SyntaxNode, stringValue, walk } from './syntax.ts';
import type { SourceFile } from './tree.ts';

export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The path inside the project; nothing for packages and Node's own modules. */
  readonly target: string | undefined;
  /** Names taken, `*` for the whole module, `default` for its default. */
  readonly names: readonly string[];
  readonly line: number;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

const STATIC = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);

export function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  const loaders = loadersOf(file);
  const isLoad = (node: SyntaxNode): boolean =>
    node.type === 'CallExpression' && loaders.has(dottedName(child(node, 'callee')) ?? '');
  walk(file, (node) => {
    const source = isLoad(node) ? children(node, 'arguments')[0] : sourceOf(node);
    const specifier = source === undefined ? undefined : stringValue(source);
    if (specifier === undefined) return;
    found.push({
      from: file.path,
      specifier,
      target: resolve(file.path, specifier),
      names: isLoad(node) ? ['*'] : namesOf(node),
      line: lineAt(file, node.start),
      typeOnly: node.type === 'TSImportType' || isTypeOnly(node),
      dynamic: node.type === 'ImportExpression',
    });
  });
  return found;
}

/** Static imports, re-exports, `import()`, and `import('…')` in a type. */
function sourceOf(node: SyntaxNode): SyntaxNode | undefined {
  if (STATIC.has(node.type) || node.type === 'ImportExpression') return child(node, 'source');
  if (node.type === 'TSImportType') return child(node, 'source') ?? child(node, 'argument');
  return undefined;
}

/** `require`, and whatever `createRequire` was given to; to resolve a file of a package is to use it. */
function loadersOf(file: SourceFile): ReadonlySet<string> {
  const loaders = new Set(['require', 'require.resolve']);
  walk(file, (node) => {
    const value = node.type === 'VariableDeclarator' ? child(node, 'init') : undefined;
    const made = value?.type === 'CallExpression' && dottedName(child(value, 'callee')) === 'createRequire';
    const name = dottedName(child(node, 'id'));
    if (made && name !== undefined) loaders.add(name).add(`${name}.resolve`);
  });
  return loaders;
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (node.importKind === 'type' || node.exportKind === 'type') return true;
  const specifiers = children(node, 'specifiers');
  return specifiers.length > 0 && specifiers.every((specifier) => specifier.importKind === 'type');
}

function namesOf(node: SyntaxNode): readonly string[] {
  if (node.type === 'ExportAllDeclaration' || node.type === 'ImportExpression') return ['*'];
  return children(node, 'specifiers')
    .filter((specifier) => specifier.importKind !== 'type')
    .map((specifier) => {
      if (specifier.type === 'ImportDefaultSpecifier') return 'default';
      if (specifier.type === 'ImportNamespaceSpecifier') return '*';
      const imported = child(specifier, 'imported') ?? child(specifier, 'local');
      return String(imported?.name ?? imported?.value);
    });
}

function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.normalize(posix.join(posix.dirname(from), specifier));
}

/** `undici` of `undici/types`, `@scope/name` of `@scope/name/part`; nothing for a path or Node's own. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}
