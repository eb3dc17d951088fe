import { describe, expect, it } from 'vitest';
import { runStages, type Stage } from './stages.ts';

const exits = (name: string, code: number): Stage => ({ name, command: ['-e', `process.exit(${code})`] });

const run = async (stages: readonly Stage[], timeoutMs = 20_000) => {
  const lines: string[] = [];
  const options = { folder: import.meta.dirname, timeoutMs, print: (line: string) => lines.push(line) };
  const results = await runStages(stages, options);
  return { results, lines };
};

describe('the stages of npm test', () => {
  it('run in order, each with its time', async () => {
    const { results, lines } = await run([exits('types', 0), exits('style', 0)]);
    expect(results.map(({ name, exitCode }) => [name, exitCode])).toEqual([
      ['types', 0],
      ['style', 0],
    ]);
    expect(lines[1]).toMatch(/^◼ types passed in \d+\.\d s$/);
  });

  it('stop at the first that fails, with its exit code', async () => {
    const { results, lines } = await run([exits('types', 0), exits('style', 3), exits('tests', 0)]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 3]);
    expect(lines.at(-1)).toContain('style failed with exit code 3');
  });

  it('end a stage that exceeds the total time, as a failure', async () => {
    const { results } = await run([{ name: 'tests', command: ['-e', 'setInterval(() => {}, 1000)'] }], 300);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([124]);
  });

  it('are run by the Node that runs the tests', async () => {
    const check = `process.exit(process.execPath === ${JSON.stringify(process.execPath)} ? 0 : 1)`;
    const { results } = await run([{ name: 'node', command: ['-e', check] }]);
    expect(results[0]?.exitCode).toBe(0);
  });
});
