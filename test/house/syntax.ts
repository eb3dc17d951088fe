import { parseAst } from 'vitest/node';
import type { SourceFile } from './tree.ts';

/**
 * The syntax tree in ESTree form. The compiler's own package has no stable interface for this, the test
 * runner's parser has, so the rules need no further dependency. Only the fields the rules read are named.
 */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const parsed = new WeakMap<SourceFile, SyntaxNode>();

export function parse(file: SourceFile): SyntaxNode {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const program = parseAst(file.text, {
    lang: file.path.endsWith('x') ? 'tsx' : 'ts',
  }) as unknown as SyntaxNode;
  parsed.set(file, program);
  return program;
}

export type Visit = (node: SyntaxNode, parent: SyntaxNode | undefined) => void;

interface Step {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
}

const walked = new WeakMap<SourceFile, readonly Step[]>();

/** A dozen rules look at every file; most of the time is spent on finding its nodes, so that is done once. */
export function walk(file: SourceFile, visit: Visit): void {
  let steps = walked.get(file);
  if (steps === undefined) {
    const found: Step[] = [];
    descend({ node: parse(file), parent: undefined }, found);
    walked.set(file, found);
    steps = found;
  }
  for (const { node, parent } of steps) visit(node, parent);
}

function descend(step: Step, found: Step[]): void {
  found.push(step);
  const { node } = step;
  for (const field in node) {
    const value = node[field];
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) descend({ node: child, parent: node }, found);
    } else if (isNode(value)) descend({ node: value, parent: node }, found);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

/** A field that holds a node, or nothing. */
export function child(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function children(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Parsers count from 0 in characters; people count lines from 1. */
export function lineAt(file: SourceFile, offset: number): number {
  let line = 1;
  for (let at = file.text.indexOf('\n'); at !== -1 && at < offset; at = file.text.indexOf('\n', at + 1))
    line++;
  return line;
}

/** The value of a string literal, or of a template without holes; holes of others become a space. */
export function stringValue(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return children(node, 'quasis')
    .map((part) => (part.value as { readonly cooked?: string | null }).cooked ?? '')
    .join(' ');
}

/** `a` of `a`, `a.b` of `a.b`, `a.b` of `a?.b`; nothing for whatever is computed. */
export function dottedName(node: SyntaxNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name);
  if (node.type === 'ChainExpression') return dottedName(child(node, 'expression'));
  if (node.type === 'ThisExpression') return 'this';
  if (node.type !== 'MemberExpression') return undefined;
  const property = child(node, 'property');
  const object = dottedName(child(node, 'object'));
  if (object === undefined || property === undefined) return undefined;
  if (node.computed !== true) return `${object}.${String(property.name)}`;
  const value = stringValue(property);
  return value === undefined ? undefined : `${object}.${value}`;
}
