import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCommand } from '../../src/cli/run.ts';
import { newSealer, type Sealer } from '../../src/kernel/encoding/seal.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { readSecret } from '../../src/store/secret-file.ts';
import { type FreshDatabase, freshDatabase } from './postgres.ts';
import type { Finished } from './processes.ts';

/** The commands of the `tollgate` program, under settings of their own. */
export interface Commands {
  /** In this process: fast. */
  run(...args: readonly string[]): Promise<Finished>;
  /** With `--json` added; the parsed answer of a command that must succeed. */
  json<Shape>(...args: readonly string[]): Promise<Shape>;
  /** In this process too, with this on its standard input. */
  typed(input: string, ...args: readonly string[]): Promise<Finished>;
}

/** The settings are kept in `folder`, which is the caller's to remove. */
export async function commandsWith(
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<Commands> {
  const settings = join(folder, 'settings');
  const lines = Object.entries(environment).map(([name, value]) => `${name}="${value}"\n`);
  await writeFile(settings, lines.join(''));
  const run: Commands['run'] = async (...args) => {
    const said: Record<'line' | 'error', string[]> = { line: [], error: [] };
    const output = {
      line: (text: string) => void said.line.push(`${text}\n`),
      error: (text: string) => void said.error.push(`${text}\n`),
    };
    const code = await runCommand([...args, '--config', settings], output);
    return { code, stdout: said.line.join(''), stderr: said.error.join('') };
  };
  return {
    run,
    json: async <Shape>(...args: readonly string[]) => {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Shape;
    },
    typed: (input, ...args) => withStandardInput(input, () => run(...args)),
  };
}

/** One command at a time: a process has one standard input. */
async function withStandardInput<Result>(input: string, read: () => Promise<Result>): Promise<Result> {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  try {
    return await read();
  } finally {
    Object.defineProperty(process, 'stdin', own);
  }
}

/** A database of one's own and the commands on it. */
export interface Terminal extends Commands {
  readonly fresh: FreshDatabase;
  /** What the commands seal with. */
  readonly sealer: Sealer;
  /** A file of this text, for commands that read one. */
  fileOf(name: string, text: string): Promise<string>;
  close(): Promise<void>;
}

export async function openTerminal(catalog: string): Promise<Terminal> {
  const fresh = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-terminal-'));
  const environment = {
    TOLLGATE_DATA: join(folder, 'data'),
    DATABASE_URL: fresh.connection,
    TOLLGATE_BYOK_HOSTS: '127.0.0.1:8081',
    TOLLGATE_TIMEZONE: 'Asia/Shanghai',
  };
  const commands = await commandsWith(environment, folder);
  const fileOf = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const applied = await commands.run('apply', '-f', await fileOf('catalog.yaml', catalog));
  if (applied.code !== 0) throw new Error(applied.stderr);
  return {
    ...commands,
    fresh,
    sealer: newSealer([readSecret(undefined, environment.TOLLGATE_DATA, systemRandom)], systemRandom),
    fileOf,
    close: async () => {
      await fresh.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
