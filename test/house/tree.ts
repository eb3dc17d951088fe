import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A text file of the project. Paths are relative to its root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The project as a plain list, so that every rule can also be tried on a tree that was made up. */
export type Tree = readonly SourceFile[];

const SKIPPED = new Set(['node_modules', 'data', 'coverage', 'results', 'dist']);
const TEXT = /\.(tsx?|sql|lua|md|json|ya?ml|sh)$/;

export const projectRoot = join(import.meta.dirname, '..', '..');

/** Every text file of the working tree; hidden folders but `.ci`, dependencies and results are left out. */
export function readTree(root: string = projectRoot): Tree {
  const found: SourceFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) && (!entry.name.startsWith('.') || entry.name === '.ci')) visit(path);
      } else if (
        entry.isFile() &&
        ((TEXT.test(entry.name) && !entry.name.endsWith('.gen.ts')) || folder.endsWith('.ci'))
      ) {
        found.push({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') });
      }
    }
  };
  visit(root);
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** A tree for a test: path → text. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

export function codeFiles(tree: Tree): Tree {
  return tree.filter((file) => /\.tsx?$/.test(file.path));
}

/** Tests, and the suites of a contract that several tests run: they may reach everywhere. */
export function isTest(path: string): boolean {
  return path.startsWith('test/') || /(\.test|-suite)\.tsx?$|\/suite\//.test(path);
}
