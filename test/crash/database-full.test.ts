import { appendFileSync, statfsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/server.ts';
import { needs } from '../needs.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  sleep,
  startServerProcess,
  startSimulatorProcess,
  tollgate,
  until,
} from '../support/processes.ts';
import { type Client, Load, seeded } from './load.ts';
import { ask, figure, isIdle, judge } from './outage.ts';
import { CRASH_CATALOG } from './shapes.ts';
import { mount, SMALL_DISK, unmount } from './small-disk.ts';
import { keyOf } from './trial/scene.ts';

const SIZE = { streams: 12, plains: 8, images: 2, paceMs: 40 };

describe('a database whose disk is full', needs(SMALL_DISK), () => {
  let simulator: SimulatorProcess;
  let place: Place;
  let theirs: string;
  let postgres: EmbeddedServer;
  let environment: Readonly<Record<string, string>>;
  let server: ServerProcess;
  let database: Database;
  let client: Client;

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    place = await makePlace(CRASH_CATALOG, simulator.url);
    theirs = join(place.folder, 'theirs');
    await mkdir(theirs);
    mount(theirs, '300m');
    await chmod(theirs, 0o711);
    postgres = await startEmbedded(theirs, silentLogger);
    environment = { ...place.environment, DATABASE_URL: postgres.connection };
    server = await startServerProcess(environment);
    database = await openDatabase({ connection: postgres.connection, log: silentLogger });
    client = { url: server.url, key: await keyOf(database, 'user@example.com') };
  }, 300_000);

  afterAll(async () => {
    server?.kill('SIGKILL');
    await server?.exited;
    await database?.close();
    await postgres?.stop();
    await simulator?.close();
    if (theirs !== undefined) unmount(theirs);
    await place?.remove();
  });

  test('serves known accounts, keeps every charge in the journal, and settles all when there is space', async () => {
    const load = new Load(SIZE, seeded(8));
    expect((await ask(client, load)).status).toBe(200);
    load.start(client);
    await sleep(500);
    const filler = join(theirs, 'filler');
    const take = (): void => {
      const { bavail, bsize } = statfsSync(theirs);
      try {
        if (bavail > 0) appendFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch {
        // PostgreSQL was faster.
      }
    };
    take();
    const filling = setInterval(take, 5);
    // Pages that have room still take some calls; then nothing is settled any more.
    await until(async () => (await figure(server, 'tollgate_journal_lag_calls')) > 60, 240_000);
    for (let asked = 0; asked < 10; asked++) expect((await ask(client, load)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const log = await readFile(join(theirs, 'postgres', 'server.log'), 'utf8').catch(() => '');
    const lag = await figure(server, 'tollgate_journal_lag_calls');
    clearInterval(filling);
    await rm(filler);
    // A PostgreSQL that could not write its log has ended. Somebody starts it again.
    const ended = !postgres.isRunning();
    if (ended) await postgres.revive();
    await load.end();
    await until(() => isIdle(server));
    expect(load.seen.filter(({ broken }) => broken)).toEqual([]);
    const { problems, ...counts } = await judge(database, simulator, load);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0, cut: 0 });
    expect((await tollgate(['doctor'], environment)).stdout).toContain('no findings');
    const state = ended ? 'PostgreSQL ended' : 'PostgreSQL refused writes';
    const told = /No space left on device/.test(log) ? 'its log says so' : 'its log had no space either';
    console.log(
      `proof | database full under load | lag ${lag} | ${counts.finished} served, 0 lost; ${state}, ${told}`,
    );
  }, 600_000);
});
