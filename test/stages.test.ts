import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runChains, type Stage, type StageOptions } from './stages.ts';
import { startProgram, untilSaid } from './support/processes.ts';

const exits = (name: string, code: number): Stage => ({ name, command: ['-e', `process.exit(${code})`] });
const says = (name: string, text: string, code: number): Stage => ({
  name,
  command: ['-e', `console.log(${JSON.stringify(text)}); process.exit(${code})`],
});

const run = async (chains: readonly (readonly Stage[])[], given: Partial<StageOptions> = {}) => {
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
    given.print?.(line);
  };
  const options = { folder: import.meta.dirname, timeoutMs: 60_000, ...given, print };
  const results = await runChains(chains, options);
  return { results, lines };
};

describe('the stages of npm test', () => {
  it('run in the order of their chain, each with its time', async () => {
    const { results, lines } = await run([[exits('types', 0), exits('style', 0)]]);
    expect(results.map(({ name, exitCode }) => [name, exitCode])).toEqual([
      ['types', 0],
      ['style', 0],
    ]);
    expect(lines[0]).toMatch(/^◼ types passed in \d+\.\d s$/);
  });

  it('stop at the first of their chain that fails, with its exit code and its output', async () => {
    const chain = [exits('types', 0), says('style', 'line 7 is too long', 3), exits('more', 0)];
    const { results, lines } = await run([chain]);
    expect(results.map(({ exitCode, output }) => [exitCode, output])).toEqual([
      [0, ''],
      [3, 'line 7 is too long\n'],
    ]);
    expect(lines.slice(1)).toEqual([
      'line 7 is too long',
      expect.stringContaining('style failed with exit code 3'),
    ]);
  });

  it('run side by side with other chains, whose failures do not stop them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-stages-'));
    const sign = JSON.stringify(join(folder, 'sign'));
    // It ends when the other one has ended.
    const waits = `setInterval(() => fs.existsSync(${sign}) && process.exit(0), 50)`;
    const tests = { name: 'tests', command: ['-e', waits] };
    const types = { name: 'types', command: ['-e', 'process.exit(1)'] };
    const ended = run([[tests], [types]], { print: () => writeFileSync(join(folder, 'sign'), '') });
    const { results, lines } = await ended;
    expect(results.map(({ name, exitCode }) => [name, exitCode])).toEqual([
      ['tests', 0],
      ['types', 1],
    ]);
    expect(lines.at(-1)).toContain('tests passed');
  });

  it('keep the output of a stage that passes to themselves', async () => {
    const { lines } = await run([[says('style', 'all files are fine', 0)]]);
    expect(lines).toEqual([expect.stringContaining('style passed')]);
  });

  it('end a stage that exceeds the total time, as a failure', async () => {
    const { results } = await run([[{ name: 'tests', command: ['-e', 'setInterval(() => {}, 1000)'] }]], {
      timeoutMs: 300,
    });
    expect(results.map(({ exitCode }) => exitCode)).toEqual([124]);
  });

  it('end with the signal that ends npm test', async () => {
    const stage = `console.log('pid ' + process.pid); setInterval(() => {}, 1000)`;
    const stages = `[[{ name: 'tests', command: ['-e', ${JSON.stringify(stage)}], isLoud: true }]]`;
    const { href } = pathToFileURL(join(import.meta.dirname, 'stages.ts'));
    const text = `import { runChains } from ${JSON.stringify(href)};
      const options = { folder: '.', timeoutMs: 60_000, print: () => {} };
      const [tests] = await runChains(${stages}, options);
      console.log('code ' + tests.exitCode);`;
    const program = startProgram(['--input-type=module', '-e', text]);
    const pid = Number(await untilSaid(program, /^pid (\d+)$/m));
    program.kill('SIGTERM');
    await program.exited;
    expect(program.stdout()).toMatch(/^code 1$/m);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('are run by the Node that runs the tests', async () => {
    const check = `process.exit(process.execPath === ${JSON.stringify(process.execPath)} ? 0 : 1)`;
    const { results } = await run([[{ name: 'node', command: ['-e', check] }]]);
    expect(results[0]?.exitCode).toBe(0);
  });
});
