import { describe, expect, it } from 'vitest';
import { importsOf, packageOf } from '../test/house/imports.ts';
import { codeFiles, isTest, readTree } from '../test/house/tree.ts';
import { CONSOLE_PACKAGES, licenceNotice, shippedPackages, withDependencies } from './licences.ts';

describe('the licences of a release', () => {
  it('are those of every package that the console imports', () => {
    const pages = codeFiles(readTree()).filter(
      ({ path }) => /^console\/(?!build\/|vite\.config)/.test(path) && !isTest(path),
    );
    const imported = pages.flatMap(importsOf).flatMap(({ specifier, typeOnly }) => {
      const name = packageOf(specifier);
      return name === undefined || typeOnly ? [] : [name];
    });
    expect([...new Set(imported)].sort()).toEqual([...CONSOLE_PACKAGES].sort());
  });

  it('are also those of what these packages need, once each', () => {
    const folders = withDependencies(['react-dom']);
    expect(folders).toEqual(['node_modules/react-dom', 'node_modules/scheduler']);
    const packages = shippedPackages([...folders, 'node_modules/react-dom']);
    expect(packages.map(({ name, licence }) => `${name} ${licence}`)).toEqual([
      'react-dom MIT',
      'scheduler MIT',
    ]);
    const notice = licenceNotice(packages);
    expect(notice).toMatch(/^react-dom \d+\.\d+\.\d+: MIT$/m);
    expect(notice.match(/Permission is hereby granted/g)).toHaveLength(2);
  });

  it('say so where a package has no file with its licence', () => {
    const packages = [{ name: 'bare', version: '1.0.0', licence: 'MIT', texts: [] }];
    expect(licenceNotice(packages)).toContain('bare 1.0.0\n\nThe package has no file with its licence.');
  });
});
