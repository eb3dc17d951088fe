import { chmod, mkdir, mkdtemp, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPort } from '../../src/http/port.ts';
import { begin, call } from '../crash/load.ts';
import { CHAT, CRASH_CATALOG } from '../crash/shapes.ts';
import { CONTAINER_TOOLS, type Need, needs } from '../needs.ts';
import { freshDatabase } from '../support/postgres.ts';
import {
  type Program,
  type SimulatorProcess,
  startSimulatorProcess,
  untilSaid,
} from '../support/processes.ts';
import { Podman } from './containers.ts';
import { makeRelease, type Release } from './support.ts';

const VERSION = '9.8.6';
const SERVES = /"url":"(http:[^"]+)","msg":"tollgate serves"/;
const IMAGE_BYTES_MAX = 250_000_000;
const BASES_MS_MAX = 300_000;

let podman: Podman;
const CONTAINERS = await openPodman();

/** Some machines have the tools and allow no containers at all; nothing of ours is in the first ones. */
async function openPodman(): Promise<Need> {
  const need: Need = {
    name: 'containers',
    isMet: true,
    how: 'use a machine that may make and run containers',
  };
  if (!CONTAINER_TOOLS.every(({ isMet }) => isMet)) return need;
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-images-'));
  // Users of containers must be able to pass through.
  await chmod(folder, 0o711);
  podman = new Podman(folder);
  const late = sleep(BASES_MS_MAX, undefined, { ref: false }).then(() => {
    throw new Error(`no container runs after ${BASES_MS_MAX} ms`);
  });
  try {
    await Promise.race([podman.makeBases(), late]);
    return need;
  } catch (error) {
    await podman.close().catch(() => {});
    const [why = ''] = String(error).split('\n');
    return { ...need, isMet: false, how: `${need.how} (${why})` };
  }
}

describe('the container image', needs(...CONTAINER_TOOLS, CONTAINERS), () => {
  let release: Release;
  let vendors: SimulatorProcess;

  beforeAll(async () => {
    const making = makeRelease(VERSION);
    vendors = await startSimulatorProcess();
    release = await making;
    const context = join(release.place, 'context');
    await mkdir(join(context, 'dist/release'), { recursive: true });
    await rename(release.folder, join(context, 'dist/release', VERSION));
    await podman.build(context, 'tollgate', { VERSION });
    await podman.build(context, 'slim', { VERSION, OMIT: 'optional' });
    await writeFile(join(release.place, 'catalog.yaml'), CRASH_CATALOG);
  });

  afterAll(async () => {
    await podman?.close().catch(() => {});
    await vendors?.close();
    await release?.remove();
  });

  /** The settings of every server here, as options of `podman run`. */
  async function settings(more: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const all = {
      TOLLGATE_HOST: '127.0.0.1',
      TOLLGATE_PORT: String(await findPort('127.0.0.1', 0)),
      TOLLGATE_CATALOG: '/catalog.yaml',
      SIM: vendors.url,
      ...more,
    };
    const catalog = `--volume=${join(release.place, 'catalog.yaml')}:/catalog.yaml:ro`;
    return [catalog, ...Object.entries(all).map(([name, value]) => `--env=${name}=${value}`)];
  }

  async function newKey(container: string): Promise<string> {
    const words = ['key', 'create', '--account', 'user@example.com', '--name', container];
    return await podman.ask('exec', container, 'tollgate', ...words);
  }

  async function ends(program: Program, container: string): Promise<void> {
    await podman.ask('stop', '--time=60', container);
    expect((await program.exited).code, program.stdout() + program.stderr()).toBe(0);
  }

  test('is small, and says who runs it, what it keeps and how it is asked', async () => {
    const [image] = JSON.parse(await podman.ask('image', 'inspect', 'localhost/tollgate'));
    const [slim] = JSON.parse(await podman.ask('image', 'inspect', 'localhost/slim'));
    expect(image.Size).toBeLessThan(IMAGE_BYTES_MAX);
    expect(slim.Size).toBeLessThan(image.Size - 50_000_000);
    expect(image.Config).toMatchObject({
      User: '65534:65534',
      Volumes: { '/data': {} },
      StopSignal: 'SIGTERM',
    });
    expect(image.Healthcheck.Test[0]).toBe('CMD');
    const size = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
    console.log(`proof | image | ${size(image.Size)} | ${size(slim.Size)} without the embedded database`);
  });

  test('runs the demo', async () => {
    const words = ['--name=demo', '--env=TOLLGATE_PORT=0', 'localhost/tollgate', 'demo', '--json'];
    const program = podman.start(words);
    const { url, api_key: key } = JSON.parse(await untilSaid(program, /^(\{.*\})$/m));
    expect(await call({ url, key }, { shape: CHAT, way: 'plain', directive: 'tokens=5' })).toMatchObject({
      status: 200,
    });
    await ends(program, 'demo');
  });

  test('drains when it is stopped, and goes on with its volume when it is started again', async () => {
    const words = ['--name=first', '--volume=kept:/data', ...(await settings()), 'localhost/tollgate'];
    const first = podman.start(words);
    const url = await untilSaid(first, SERVES);
    const key = await newKey('first');
    await podman.ask('healthcheck', 'run', 'first');
    const { seen, ended } = begin(
      { url, key },
      { shape: CHAT, way: 'stream', directive: 'tokens=60 chunk=1 pace=50' },
    );
    while (seen.arrivals.length === 0) await sleep(5);
    await ends(first, 'first');
    expect(await ended).toMatchObject({ status: 200, finished: true, broken: false });
    const again = ['--name=second', '--volume=kept:/data', ...(await settings()), 'localhost/tollgate'];
    const second = podman.start(again);
    const known = { url: await untilSaid(second, SERVES), key };
    expect(await call(known, { shape: CHAT, way: 'plain', directive: 'tokens=5' })).toMatchObject({
      status: 200,
    });
    const books = JSON.parse(await podman.ask('exec', 'second', 'tollgate', 'doctor', '--json'));
    expect(books).toMatchObject({ findings: [] });
    const calls = await podman.ask('exec', 'second', 'tollgate', 'call', 'search', '--json');
    expect(JSON.parse(calls.split('\n')[0] ?? '')).toMatchObject({ calls: [{}, {}] });
    await ends(second, 'second');
  });

  test('runs as another user', async () => {
    const words = ['--name=other', '--user=12345:12345', ...(await settings()), 'localhost/tollgate'];
    const program = podman.start(words);
    await untilSaid(program, SERVES);
    const owner = "require('node:fs').statSync('/proc/1').uid";
    expect(await podman.ask('exec', 'other', 'node', '-p', owner)).toBe('12345');
    await ends(program, 'other');
  });

  test('is not built when npm leaves the embedded database out without a word', async () => {
    const words = { VERSION, OMIT: 'dev --omit=optional' };
    await expect(podman.build(join(release.place, 'context'), 'lacking', words)).rejects.toThrow(
      'is not installed or does not run',
    );
  });

  test('runs without the embedded database, on one of your own, and says when it has none', async () => {
    const none = podman.start(['--name=none', ...(await settings()), 'localhost/slim']);
    expect((await none.exited).code).toBe(1);
    expect(none.stderr()).toContain('set DATABASE_URL to a PostgreSQL server');
    const fresh = await freshDatabase();
    // The server of the tests listens on a socket of its own user only.
    const folder = decodeURIComponent(new URL(fresh.connection).searchParams.get('host') ?? '');
    const [socket = ''] = (await readdir(folder)).filter((name) => name.startsWith('.s.PGSQL.'));
    const { uid, gid } = await stat(join(folder, socket));
    const own = [`--user=${uid}:${gid}`, `--volume=${folder}:${folder}`];
    const words = [
      '--name=slim',
      ...own,
      ...(await settings({ DATABASE_URL: fresh.connection })),
      'localhost/slim',
    ];
    const program = podman.start(words);
    try {
      const url = await untilSaid(program, SERVES);
      const client = { url, key: await newKey('slim') };
      expect(await call(client, { shape: CHAT, way: 'plain', directive: 'tokens=5' })).toMatchObject({
        status: 200,
      });
    } finally {
      await ends(program, 'slim');
      await fresh.drop();
    }
  });
});
