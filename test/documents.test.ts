import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../src/config.ts';
import { ERRORS } from '../src/kernel/errors.ts';
import { importsOf, packageOf } from './house/imports.ts';
import { codeFiles, isTest, readTree, type SourceFile } from './house/tree.ts';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

const tree = readTree();
const documents = tree.filter((file) => file.path.endsWith('.md'));
const textOf = (path: string): string => tree.find((file) => file.path === path)?.text ?? '';
const prose = (file: SourceFile): string => file.text.replace(/^```[\s\S]*?^```/gm, '');

describe('the documents', () => {
  it('have one title each, in the first line', () => {
    for (const file of documents) {
      expect(file.text.split('\n')[0], file.path).toMatch(/^# \S/);
      expect(prose(file).match(/^# /gm), file.path).toHaveLength(1);
    }
  });

  it('are all in the table of contents', () => {
    const contents = textOf('docs/README.md');
    const targets = [...contents.matchAll(/\]\(([^)\s#]+)\)/g)].map(([, target = '']) =>
      posix.join('docs', target),
    );
    const listed = (path: string): boolean =>
      targets.includes(path) || targets.includes(posix.dirname(path)) || path === 'docs/README.md';
    expect(documents.map(({ path }) => path).filter((path) => !listed(path) && path !== 'README.md')).toEqual(
      [],
    );
  });

  it('record each decision with context, decision and price, numbered without a gap', () => {
    const records = documents.filter((file) => /^docs\/adr\/\d{3}-/.test(file.path));
    expect(records.length).toBeGreaterThan(0);
    records.forEach((file, index) => {
      expect(Number(posix.basename(file.path).slice(0, 3)), file.path).toBe(index + 1);
      const headings = [...file.text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings, file.path).toEqual(['Context', 'Decision', 'Price paid']);
    });
  });

  it('give every dependency a line with its reason, and no line to a removed one', () => {
    const manifest = JSON.parse(textOf('package.json')) as Manifest;
    const wanted = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies];
    const rows = [...textOf('docs/adr/dependencies.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(wanted.flatMap((group) => Object.keys(group)).sort());
  });

  it('follow a request through every file of src/gateway and past every error', () => {
    const life = textOf('docs/life-of-a-request.md');
    const stages = codeFiles(tree).filter(({ path }) => path.startsWith('src/gateway/') && !isTest(path));
    const missing = [
      ...stages.map(({ path }) => posix.basename(path)).filter((name) => !life.includes(name)),
      ...Object.values(ERRORS)
        .map(({ code }) => String(code))
        .filter((code) => !life.includes(code)),
    ];
    expect(missing).toEqual([]);
    const known = new Set(Object.values(ERRORS).map(({ code }) => String(code)));
    expect((life.match(/\b[45]\d{4}\b/g) ?? []).filter((code) => !known.has(code))).toEqual([]);
  });

  it('contain every setting of src/config.ts in docs/settings.md, with its default', () => {
    const expected = Object.values(SETTINGS).map(({ name, standard, meaning }) => [
      name,
      standard === '' ? '' : `\`${standard}\``,
      meaning,
    ]);
    const [, table = ''] = textOf('docs/settings.md').split('<!-- settings');
    const rows = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (.*?) ?\| (.+) \|$/gm)];
    expect(rows.map(([, ...cells]) => cells)).toEqual(expected);
  });
});

describe('package.json', () => {
  it('declares no runtime dependency that src does not use', () => {
    const manifest = JSON.parse(textOf('package.json')) as Manifest;
    const files = codeFiles(tree).filter(({ path }) => path.startsWith('src/') && !isTest(path));
    const used = new Set(files.flatMap(importsOf).map(({ specifier }) => packageOf(specifier)));
    expect(Object.keys(manifest.dependencies).filter((name) => !used.has(name))).toEqual([]);
  });
});
