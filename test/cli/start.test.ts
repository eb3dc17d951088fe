import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPort } from '../../src/http/port.ts';
import { projectRoot } from '../house/tree.ts';
import { FULL_DEVICE, type Need, needs } from '../needs.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { startProgram, TOLLGATE, tollgate, until, untilSaid } from '../support/processes.ts';

const MISSING =
  'no model has a route: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY and restart, ' +
  'or apply a catalogue with "tollgate apply -f catalog.yaml"';

let fresh: FreshDatabase;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  fresh = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-start-'));
  await chmod(folder, 0o711);
  environment = {
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: '0',
    TOLLGATE_DATA: join(folder, 'data'),
    DATABASE_URL: fresh.connection,
  };
});

afterAll(async () => {
  await fresh.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = async (more: Record<string, string> = {}) => {
  const program = startProgram([TOLLGATE, 'serve'], { ...environment, ...more });
  const url = await untilSaid(program, /"url":"(http:[^"]+)","msg":"tollgate serves"/);
  const stop = async (): Promise<void> => {
    program.kill('SIGTERM');
    expect(await program.exited).toEqual({ code: 0, signal: null });
  };
  return { program, url, stop };
};

const setUp = (url: string, token: string): Promise<Response> =>
  fetch(`${url}/api/v1/user/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, email: 'operator@example.com', password: 'correct horse' }),
  });

const ask = async (url: string, key: string, model: string): Promise<unknown> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  return ((await response.json()) as { code: number }).code;
};

test('a start without settings serves, logs and reports at /readyz what is missing, and refuses calls clearly', async () => {
  const { program, url, stop } = await start();
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).toBe(`${MISSING}\n`);
  const warningsOf = (): string[] =>
    program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":40'));
  // The lines are written one after the other, and the answer may be quicker than the second.
  await until(() => warningsOf().length > 0);
  const warnings = warningsOf();
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] ?? '{}')).toMatchObject({ missing: MISSING });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  // No default password anywhere: whoever sees the terminal makes the first operator.
  const token = await untilSaid(program, /setup token: (tgo1\.\S{43}) /, 'stderr');
  for (const line of program.stdout().trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  expect((await setUp(url, token)).status).toBe(200);
  expect((await setUp(url, token)).status).toBe(403);

  expect(await ask(url, 'unknown', 'gpt-5')).toBe(40101);
  const account = ['--email', 'you@example.com', '--credits', '10000'];
  expect(await tollgate(['account', 'create', ...account], environment)).toMatchObject({ code: 0 });
  const created = await tollgate(
    ['key', 'create', '--account', 'you@example.com', '--name', 'first'],
    environment,
  );
  expect(created.stdout).toMatch(/^tg-[a-z0-9]+\n$/);
  expect(await ask(url, created.stdout.trim(), 'gpt-5')).toBe(50201);
  await stop();
});

test('a vendor key in the environment suffices to be ready, with the models of that vendor', async () => {
  const { program, url, stop } = await start({ ANTHROPIC_API_KEY: 'sk-ant-of-a-test' });
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, 'ready\n']);
  expect(program.stdout()).not.toContain('"level":40');
  const { stdout } = await tollgate(
    ['key', 'create', '--account', 'you@example.com', '--name', 'two'],
    environment,
  );
  // The call is converted, and the vendor is out of reach; a model that is not there is another error.
  expect(await ask(url, stdout.trim(), 'claude-sonnet-5')).toBe(50202);
  expect(await ask(url, stdout.trim(), 'gpt-5.4')).toBe(50201);
  await stop();
});

const SCRIPT = '/usr/bin/script';
const TERMINALS: Need = {
  name: 'script',
  isMet: existsSync(SCRIPT),
  how: 'apt-get install bsdutils',
};

test(
  'the log on a terminal is for people, and the setup token is in a box with a working address',
  needs(TERMINALS),
  async () => {
    const own = await freshDatabase();
    const line = `exec "${process.execPath}" src/main.ts serve`;
    const child = spawn(SCRIPT, ['-qfec', line, '/dev/null'], {
      cwd: projectRoot,
      env: {
        PATH: process.env.PATH,
        TERM: 'xterm',
        TOLLGATE_PORT: '0',
        TOLLGATE_DATA: join(folder, 'terminal'),
        DATABASE_URL: own.connection,
        TOLLGATE_TIMEZONE: 'Asia/Shanghai',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const exited = once(child, 'exit');
    try {
      await until(
        () => child.exitCode !== null || /tollgate serves[\s\S]*calls cannot be served/.test(shown),
      );
      // Ctrl-C, as it is typed.
      child.stdin.write('\u0003');
      expect(await exited).toEqual([0, null]);
      const [, token = ''] = /^│ +setup token: (tgo1\.\S{43}) +│\r$/m.exec(shown) ?? [];
      const [, address = ''] = /^│ Address +(http:\/\/127\.0\.0\.1:\d+) +│\r$/m.exec(shown) ?? [];
      expect(shown).toContain(`│ Reference  ${address}/docs `);
      // The console comes first: its address is all that one needs.
      expect(shown).toContain(`│   ${address}/setup#token=${token} `);
      expect(shown.indexOf('/setup#token=')).toBeLessThan(shown.indexOf('curl'));
      expect(shown).toContain(`"token":"${token}"`);
      expect(shown).toMatch(/ \(Asia\/Shanghai\), also after a restart\./);
      expect(shown).not.toMatch(/\{"level"|0\.0\.0\.0/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is told its colours by them.
      const plain = shown.replace(/\u001b\[\d+m/g, '');
      expect(plain).toMatch(
        /^\d\d:\d\d:\d\d {2}info {3}tollgate serves {2}ops=http:\/\/127\.0\.0\.1:\d+ url=http:\/\/127\.0\.0\.1:\d+\r$/m,
      );
      expect(plain).toMatch(/^\d\d:\d\d:\d\d {2}warn {3}calls cannot be served yet: no model has a route/m);
    } finally {
      child.kill('SIGKILL');
      await exited;
      await own.drop();
    }
  },
);

test('a server with its log on a full disk serves, and stops on a signal', needs(FULL_DEVICE), async () => {
  await using disk = await open(FULL_DEVICE.name, 'w');
  const port = await findPort('127.0.0.1', 0);
  const own = await freshDatabase();
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: projectRoot,
    env: {
      ...environment,
      PATH: process.env.PATH,
      TOLLGATE_PORT: String(port),
      TOLLGATE_DATA: join(folder, 'full'),
      DATABASE_URL: own.connection,
    },
    stdio: ['ignore', disk.fd, 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const alive = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(60_000) }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(async () => child.exitCode !== null || (await alive()), 180_000);
    expect(await alive()).toBe(true);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await exited;
    await own.drop();
  }
});

test.each([1, 2])(
  'a port in use is reported before anything is created, with %i workers',
  async (workers) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const data = join(folder, `taken-${workers}`);
    try {
      const { code, stdout, stderr } = await tollgate(['serve'], {
        TOLLGATE_HOST: '127.0.0.1',
        TOLLGATE_PORT: String(port),
        TOLLGATE_WORKERS: String(workers),
        TOLLGATE_DATA: data,
        ...(workers > 1 ? { REDIS_URL: 'redis://127.0.0.1:1' } : {}),
      });
      expect({ code, stdout: stdout.replace(/^\{.*"msg":"tollgate stopped"\}\n$/, '') }).toEqual({
        code: 1,
        stdout: '',
      });
      expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use`);
      expect(existsSync(data)).toBe(false);
    } finally {
      taken.close();
    }
  },
);
