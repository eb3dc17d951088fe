import { appendFileSync, statfsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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
  until,
} from '../support/processes.ts';
import { type Client, Load, seeded } from './load.ts';
import { ask, codeOf, isIdle, judge } from './outage.ts';
import { CRASH_CATALOG } from './shapes.ts';
import { mount, SMALL_DISK, unmount } from './small-disk.ts';
import { keyOf } from './trial/scene.ts';

const SIZE = { streams: 10, plains: 6, images: 0, paceMs: 40 };

describe('a full disk', needs(SMALL_DISK), () => {
  let simulator: SimulatorProcess;
  let place: Place;
  let journal: string;
  let server: ServerProcess;
  let embedded: EmbeddedServer;
  let database: Database;
  let client: Client;
  let filling: NodeJS.Timeout | undefined;
  let load: Load;

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    place = await makePlace(CRASH_CATALOG, simulator.url);
    journal = join(place.dataDirectory, 'journal');
    await mkdir(journal, { recursive: true });
    mount(journal, '4m');
    server = await startServerProcess(place.environment);
    embedded = await startEmbedded(place.dataDirectory, silentLogger);
    database = await openDatabase({ connection: embedded.connection, log: silentLogger });
    client = { url: server.url, key: await keyOf(database, 'user@example.com') };
  }, 300_000);

  afterEach(async () => {
    clearInterval(filling);
    await load.end();
  });

  afterAll(async () => {
    server?.kill('SIGKILL');
    await server?.exited;
    await database?.close();
    await embedded?.stop();
    await simulator?.close();
    if (journal !== undefined) unmount(journal);
    await place?.remove();
  });

  /**
   * A real file takes every byte that is left, also what the journal frees later, until it is let go. There
   * is no such file if the journal itself has filled the disk and frees nothing in the meantime.
   */
  function fill(): () => Promise<void> {
    const path = join(journal, 'filler');
    const take = (): void => {
      const { bavail, bsize } = statfsSync(journal);
      try {
        if (bavail > 0) appendFileSync(path, Buffer.alloc(bavail * bsize));
      } catch {
        // The journal was faster.
      }
    };
    take();
    filling = setInterval(take, 5);
    return async () => {
      clearInterval(filling);
      await rm(path, { force: true });
    };
  }

  test('a full disk refuses calls clearly, corrupts nothing, and calls pass again when there is space', async () => {
    load = new Load(SIZE, seeded(5));
    for (let round = 0; round < 2; round++) {
      load.start(client);
      await sleep(1_000);
      const letGo = fill();
      // The last block of the open segment may still take some records.
      await until(async () => codeOf(await ask(client, load)) === 50_301);
      const ready = await fetch(`${server.url}/readyz`);
      expect({ status: ready.status, text: await ready.text() }).toEqual({
        status: 503,
        text: 'the journal cannot be written\n',
      });
      await sleep(1_500);
      expect(codeOf(await ask(client, load))).toBe(50_301);
      await letGo();
      await until(async () => (await ask(client, load)).status === 200);
      await sleep(500);
      await load.end();
      await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
    }
    await until(() => isIdle(server));
    const { problems, ...counts } = await judge(database, simulator, load);
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0 });
    expect(counts.finished).toBeGreaterThan(20);
    console.log(`proof | disk full under load | twice | ${counts.finished} served, 0 lost, serves again`);
  }, 300_000);

  test('a server that is killed on a full disk loses nothing that a client was told', async () => {
    load = new Load(SIZE, seeded(6));
    load.start(client);
    await sleep(1_000);
    const letGo = fill();
    await until(async () => codeOf(await ask(client, load)) === 50_301);
    // What ends while nothing can be written goes to the store from the memory of the process.
    await load.end();
    await until(() => isIdle(server));
    const diedAt = performance.now();
    server.kill('SIGKILL');
    await server.exited;
    await letGo();
    server = await startServerProcess(place.environment);
    const { problems } = await judge(database, simulator, load, () => diedAt);
    expect(problems.filter((problem) => !/^\d+ (?:rows|calls at)/.test(problem))).toEqual([]);
  }, 300_000);
});
