import { describe, expect, it } from 'vitest';
import { nodeProblem, provide } from './prerequisites.ts';

describe('the prerequisites of npm test', () => {
  it('are a Node of at least the version that package.json asks for', () => {
    expect(nodeProblem('24.12.0', '>=24.12')).toBeUndefined();
    expect(nodeProblem('24.21.0', '>=24.12')).toBeUndefined();
    expect(nodeProblem('25.0.0', '>=24.12')).toBeUndefined();
    expect(nodeProblem('24.11.9', '>=24.12')).toContain('Node 24.11.9 is too old');
    expect(nodeProblem('20.20.2', '>=24.12')).toContain('npm ci');
  });

  const program = { name: 'Oracle', debianPackage: 'oracle', without: 'nothing is foretold' };

  it('report a missing program and what is not tested without it, in one line', () => {
    const missing = provide([{ ...program, pattern: '/nowhere/oracle' }], () => {});
    expect(missing).toEqual(['Oracle is missing (apt-get install oracle): nothing is foretold']);
  });

  it('are installed together, and only what is missing', () => {
    const asked: (readonly string[])[] = [];
    const install = (packages: readonly string[]) => void asked.push(packages);
    const here = { ...program, pattern: process.execPath };
    expect(provide([here], install)).toEqual([]);
    expect(asked).toEqual([]);
    const away = { ...program, pattern: '/nowhere/oracle' };
    expect(provide([away, here, { ...away, debianPackage: 'delphi' }], install)).toHaveLength(2);
    expect(asked).toEqual([['oracle', 'delphi']]);
  });
});
