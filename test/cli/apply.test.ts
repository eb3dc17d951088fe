import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { prepareCatalog } from '../../src/setup.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';
import { configOf } from '../support/config.ts';

/** `apply`, and the other commands that change prices, against what is stored already. */
const CATALOG = `
vendors: [{ code: openai, name: OpenAI, protocols: [chat], base_url: "http://127.0.0.1:9", rate: 90 }]
credentials: [{ name: main, vendor: openai, secret: sk-first-secret-value, rate: 80, limits: { rpm: 60 } }]
models:
  - model_id: gpt
    name: The model
    prices: { input: "10", output: "30", cache_input: "1" }
    context_window: 1000
    routes: [{ vendor: openai, credential: main, protocols: [chat], rate_multiplier: 1.5 }]
  - { model_id: other, prices: { input: "1", output: "2" } }
`;
let terminal: Terminal;

beforeAll(async () => {
  terminal = await openTerminal(CATALOG);
});
afterAll(() => terminal?.close());

let files = 0;
const apply = async (text: string, ...options: readonly string[]) =>
  terminal.run('apply', '-f', await terminal.fileOf(`file-${++files}.yaml`, text), ...options);
const exported = async (): Promise<string> => (await terminal.run('catalog', 'export')).stdout;

describe('apply', () => {
  test('changes only the fields that the file names', async () => {
    const before = await exported();
    const { stdout } = await apply(`credentials: [{ name: main, vendor: openai, secret: sk-second-secret }]
models: [{ model_id: gpt, prices: { output: "31" }, routes: [{ vendor: openai, credential: main, weight: 2 }] }]
`);
    expect(stdout).toBe(`updated credential main: secret changed
updated model gpt: prices.output 30 → 31
updated route gpt via main as gpt: weight 1 → 2
3 changes
`);
    const back = `models: [{ model_id: gpt, prices: { output: "30" }, routes: [{ credential: main, weight: 1 }] }]`;
    expect((await apply(back)).code).toBe(0);
    expect(await exported()).toBe(before);
  });

  test('makes no price 0 without --yes-free', async () => {
    const before = await exported();
    const free = 'models: [{ model_id: gpt, prices: { input: 0, cache_input: null } }]\nsystem_rate: 0\n';
    const dry = await apply(free, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toMatch(/--yes-free:\n {2}model gpt: prices\.input 10 → 0\n/);
    expect(await apply(free)).toEqual({
      code: 1,
      stdout: '',
      stderr: `tollgate apply: nothing was applied, because prices become 0 or are removed:
  model gpt: prices.input 10 → 0
  model gpt: prices.cache_input 1 → none
  settings catalog: system_rate 100 → 0
If you want that, add --yes-free.
`,
    });
    expect(await exported()).toBe(before);
    expect((await apply(free, '--yes-free')).stdout).toMatch(/\n2 changes\n$/);
    const paid = 'models: [{ model_id: gpt, prices: { input: 10, cache_input: 1 } }]\nsystem_rate: null\n';
    expect((await apply(paid)).code).toBe(0);
    expect(await exported()).toBe(before);
  });

  test.each(['--exact', '--whole'])(
    '%s makes the catalogue the file, after the diff was confirmed',
    async (exact) => {
      const before = await exported();
      const file = before
        .replace(/ {2}- model_id: other\n(?: {4}.*\n)*/, '')
        .replace('    context_window: 1000\n', '');
      const told = ['updated model gpt: context_window 1000 → none', 'removed model other'];
      expect(await apply(file, exact)).toEqual({
        code: 1,
        stdout: '',
        stderr: `${told.join('\n')}\ntollgate apply: nothing was applied: add --yes to make these changes\n`,
      });
      expect(await exported()).toBe(before);
      expect((await apply(file, exact, '--dry-run')).stdout).toBe(
        `${told.join('\n')}\n2 changes (not applied)\n`,
      );
      expect((await apply(file, exact, '--yes')).stdout).toBe(`${told.join('\n')}\n2 changes\n`);
      expect(await exported()).toBe(file);
      // The yes to the changes is none to a price of 0.
      const free = file.replace(/ {4}prices: .*\n/, '');
      expect((await apply(free, exact, '--yes')).stderr).toContain('prices.output 30 → 0');
      expect(await exported()).toBe(file);
      expect(await apply(before, exact, '--yes')).toMatchObject({ code: 0 });
      expect(await apply(before, exact)).toEqual({ code: 0, stdout: 'nothing to change\n', stderr: '' });
    },
  );
});

test('prices import makes no price 0 without --yes-free, and then makes it 0', async () => {
  const before = await exported();
  const file = await terminal.fileOf(
    'prices.yaml',
    'models: [{ model_id: gpt, input: "0", output: "30" }]\n',
  );
  const shown = await terminal.run('prices', 'import', file);
  expect(shown.stdout).toContain('model gpt: prices.input 10 → 0');
  expect(shown.stdout).toContain('not applied');
  const refused = await terminal.run('prices', 'import', file, '--yes');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('add --yes-free') });
  expect(await exported()).toBe(before);
  expect(await terminal.run('prices', 'import', file, '--yes', '--yes-free')).toMatchObject({ code: 0 });
  expect(await exported()).toContain('prices: { output: "30", cache_input: "1" }');
  await apply('models: [{ model_id: gpt, prices: { input: 10 } }]');
  expect(await exported()).toBe(before);
});

test('a start merges its file as apply does, and refuses to make a price 0', async () => {
  const before = await exported();
  const start = async (text: string): Promise<void> => {
    const path = await terminal.fileOf('start.yaml', text);
    const config = configOf({ DATABASE_URL: terminal.fresh.connection, TOLLGATE_CATALOG: path });
    const { database } = terminal.fresh;
    await prepareCatalog({ config, database, sealer: terminal.sealer, log: silentLogger });
  };
  await start('models: [{ model_id: gpt, name: The model }, { model_id: z-new }]');
  expect((await exported()).replace('  - model_id: z-new\n    routes: []\n', '')).toBe(before);
  await expect(start('models: [{ model_id: gpt, prices: { output: 0 } }]')).rejects.toThrow(
    /model gpt: prices\.output 30 → 0\nIf you want that, run "tollgate apply -f .*start\.yaml --yes-free" once/,
  );
  await terminal.run('catalog', 'delete', 'models', 'z-new');
  expect(await exported()).toBe(before);
});
