import type { SourceFile, Tree } from '../house/tree.ts';

/** Folders below these have rows of their own in ARCHITECTURE.md. */
const DETAILED = ['src', 'src/gateway', 'src/protocol'];

/** Folders with code or shipped files that must have a row: those at the top, and below the detailed ones. */
export function foldersOf(tree: Tree): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { path } of tree) {
    const parts = path.split('/').slice(0, -1);
    parts.forEach((_, index) => {
      const parent = parts.slice(0, index).join('/');
      const isListed = index === 0 || DETAILED.includes(parent);
      if (isListed) found.add(parts.slice(0, index + 1).join('/'));
    });
  }
  for (const folder of [...DETAILED, 'docs', '.ci']) found.delete(folder);
  return found;
}

/** The paths of the first column of the table of folders. `a/b`, `c` in a cell are `a/b` and `a/c`. */
export function listedFolders({ text }: SourceFile): ReadonlySet<string> {
  const [, section = ''] = text.split('\n## Folders\n');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| (`[^|]+`) \|/gm)];
  return new Set(
    rows.flatMap(([, cell = '']) => {
      const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      const base = names[0]?.replace(/[^/]+$/, '') ?? '';
      return names.map((name) => (name.includes('/') ? name : `${base}${name}`));
    }),
  );
}
