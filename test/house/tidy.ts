import { child, children, dottedName, lineAt, type SyntaxNode, walk } from './syntax.ts';
import { codeFiles, isTest, type SourceFile, type Tree } from './tree.ts';
import type { Violation } from './violation.ts';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 60;
/** A component draws what it returns, one element a line. */
export const COMPONENT_LINES_MAX = 80;
export const PARAMETERS_MAX = 4;
export const LINE_LENGTH_MAX = 110;
export const FOLDER_FILES_MAX = 20;
/** `, async () => {`: what the formatter leaves behind the name of a test. */
const TAIL_LENGTH = 16;

/** Size and shape of files and functions. */
export function checkSizes(tree: Tree): readonly Violation[] {
  const files = codeFiles(tree);
  return [
    ...files.flatMap((file) => [...checkLines(file), ...checkFunctions(file)]),
    ...checkFolders(files.map(({ path }) => path)),
  ];
}

/** Tests stand beside what they test and are not counted. */
function checkFolders(paths: readonly string[]): readonly Violation[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!/^(?:src|sim)\//.test(path) || isTest(path)) continue;
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const reason = `a folder holds one concept, in at most ${FOLDER_FILES_MAX} files`;
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([path, count]) => ({ rule: 'folder-size', path, line: 1, message: `${count} files`, reason }));
}

function checkLines(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  const lines = file.text.replace(/\n$/, '').split('\n');
  if (lines.length > FILE_LINES_MAX) {
    found.push({
      rule: 'file-length',
      path: file.path,
      line: FILE_LINES_MAX + 1,
      message: `${lines.length} lines`,
      reason: `a file holds one idea, in at most ${FILE_LINES_MAX} lines`,
    });
  }
  const literals = literalsOf(file);
  let offset = 0;
  lines.forEach((text, index) => {
    const edge = offset + LINE_LENGTH_MAX;
    offset += text.length + 1;
    const excuses = ({ start, end }: SyntaxNode): boolean => start < edge && edge < end + TAIL_LENGTH;
    if (text.length <= LINE_LENGTH_MAX || literals.some(excuses)) return;
    const reason = `a line of over ${LINE_LENGTH_MAX} characters is not read`;
    const message = `${text.length} characters`;
    found.push({ rule: 'line-length', path: file.path, line: index + 1, message, reason });
  });
  return found;
}

/** Strings, templates and patterns: the formatter cannot break them, so the edge may fall inside. */
function literalsOf(file: SourceFile): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  walk(file, (node) => {
    if (node.type === 'Literal' || node.type === 'TemplateLiteral') found.push(node);
  });
  return found;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function checkFunctions(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  walk(file, (node, parent) => {
    if (!FUNCTIONS.has(node.type)) return;
    const line = lineAt(file, node.start);
    const name = nameOf(node, parent);
    const length = lineAt(file, node.end) - line + 1;
    const at = { path: file.path, line };
    const linesMax = file.path.endsWith('x') ? COMPONENT_LINES_MAX : FUNCTION_LINES_MAX;
    if (length > linesMax && !isChapter(node, parent)) {
      const reason = `a function fits a screen: at most ${linesMax} lines`;
      found.push({ ...at, rule: 'function-length', message: `${name} has ${length} lines`, reason });
    }
    const parameters = children(node, 'params').filter((parameter) => parameter.name !== 'this');
    // The callback of a property test takes what the property draws.
    const drawn = isTest(file.path) && parent?.type === 'CallExpression';
    if (parameters.length > PARAMETERS_MAX && !drawn) {
      const reason = `beyond ${PARAMETERS_MAX} parameters one named object says more`;
      found.push({
        ...at,
        rule: 'parameters',
        message: `${name} has ${parameters.length} parameters`,
        reason,
      });
    }
    // In the console, handlers and texts of switches and checkboxes are told their state.
    if (!isTest(file.path) && !file.path.startsWith('console/') && parameters.some(isBoolean)) {
      const reason = 'a call with a bare true cannot be read: name the two functions';
      found.push({ ...at, rule: 'boolean-parameters', message: `${name} takes a boolean`, reason });
    }
  });
  return found;
}

/** `describe(…, () => { … })` is a chapter of a test file, not a function anybody calls. */
function isChapter(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent?.type !== 'CallExpression' || !children(parent, 'arguments').includes(node)) return false;
  let callee = parent.callee as SyntaxNode;
  while (callee.type === 'CallExpression') callee = callee.callee as SyntaxNode;
  return /^describe\b/.test(dottedName(callee) ?? '');
}

/** `x: boolean` and `x = false`; the parameter of a setter of one value is still a parameter. */
function isBoolean(parameter: SyntaxNode): boolean {
  if (parameter.type === 'AssignmentPattern') {
    const value = (parameter.right as SyntaxNode).value;
    return typeof value === 'boolean' || isBoolean(parameter.left as SyntaxNode);
  }
  const annotation = child(parameter, 'typeAnnotation');
  return annotation !== undefined && child(annotation, 'typeAnnotation')?.type === 'TSBooleanKeyword';
}

function nameOf(node: SyntaxNode, parent: SyntaxNode | undefined): string {
  const own = dottedName(child(node, 'id'));
  if (own !== undefined || parent === undefined) return own ?? 'a function';
  return dottedName(child(parent, 'id') ?? child(parent, 'key') ?? child(parent, 'left')) ?? 'a function';
}
