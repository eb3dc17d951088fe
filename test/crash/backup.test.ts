import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { needs, REDIS } from '../needs.ts';
import { type Finished, startServerProcess, tollgate, until } from '../support/processes.ts';
import { withName } from '../support/servers/postgres-server.ts';
import { call, Load, type Seen, seeded } from './load.ts';
import { codeOf } from './outage.ts';
import { CHAT } from './shapes.ts';
import { openScene, type Scene } from './trial/scene.ts';

const SIZE = { streams: 24, plains: 10, images: 1, paceMs: 20 };
const CALLS_BEFORE = 120;
const KILLED = { code: null } as const;
const UNAVAILABLE = 50_301;

interface Charged {
  readonly call_id: string;
  readonly verdict: string;
  readonly charge_micro: bigint;
  readonly taken: bigint | null;
  readonly entries: bigint;
}

async function chargesOf(database: Database): Promise<ReadonlyMap<string, Charged>> {
  const rows = await database.query<Charged>(
    `select call_id, verdict, charge_micro, s.credits_micro as taken,
       (select count(*) from ledger_entries e where e.ref = c.call_id and e.kind = 'consumption'
          and e.account_id is not null) as entries
     from calls c left join consumptions s using (created_at, call_id)`,
  );
  return new Map(rows.map((row) => [row.call_id, row]));
}

/** The money of every account, and what the ledger of the original said when it had as many entries. */
async function wrongWallets(restored: Database, original: Database): Promise<readonly string[]> {
  const rows = await restored.query<{ id: bigint; last_seq: bigint; credits: bigint; balance: bigint }>(
    'select id, last_seq, credits_micro as credits, balance_micro as balance from accounts where last_seq > 0',
  );
  const wrong: string[] = [];
  for (const { id, last_seq: seq, credits, balance } of rows) {
    const [then] = await original.query<{ credits: bigint; balance: bigint }>(
      `select coalesce(sum(change_micro) filter (where pool = 'credits'), 0)::bigint as credits,
         coalesce(sum(change_micro) filter (where pool = 'balance'), 0)::bigint as balance
       from ledger_entries where account_id = $1 and seq <= $2`,
      [id, seq],
    );
    if (then?.credits !== credits || then.balance !== balance) wrong.push(`account ${id} at entry ${seq}`);
  }
  return rows.length > 0 ? wrong : ['no account has money'];
}

/** What the books of the restored place say otherwise than those of the original. */
function compareCharges(
  restored: ReadonlyMap<string, Charged>,
  original: ReadonlyMap<string, Charged>,
  finished: readonly Seen[],
): readonly string[] {
  const wrong: string[] = [];
  for (const [callId, row] of restored) {
    const then = original.get(callId);
    const isCut = row.verdict === 'cut-by-gateway';
    if (then === undefined) wrong.push(`${callId} never was`);
    else if (isCut ? row.charge_micro > then.charge_micro : row.charge_micro !== then.charge_micro)
      wrong.push(`${callId} ${row.verdict}: ${row.charge_micro} instead of ${then.charge_micro}`);
    if (row.entries !== (row.charge_micro > 0n ? 1n : 0n) || (row.taken ?? 0n) !== row.charge_micro)
      wrong.push(`${callId}: ${row.entries} entries took ${row.taken} of ${row.charge_micro}`);
  }
  for (const { requestId = '' } of finished) {
    const row = restored.get(requestId);
    if (row === undefined) wrong.push(`${requestId} is lost`);
    else if (row.verdict === 'cut-by-gateway') wrong.push(`${requestId} was finished, and is cut`);
  }
  return wrong;
}

/** Under load: what clients had finished before the backup began, and what the backup said. */
async function backUpUnderLoad(
  scene: Scene,
  run: () => Promise<Finished>,
): Promise<{ readonly finished: readonly Seen[]; readonly said: Finished; readonly made: number }> {
  const load = new Load(SIZE, seeded(1));
  load.start({ url: scene.server.url, key: scene.key });
  await until(() => load.seen.length > CALLS_BEFORE);
  const finished = load.seen.filter((one) => one.finished);
  const said = await run();
  await load.end();
  await scene.settled();
  return { finished, said, made: load.seen.length };
}

describe('embedded database', () => {
  let scene: Scene;
  let file: string;
  let environment: Readonly<Record<string, string>>;
  let finished: readonly Seen[];
  let dataDirectory: string;

  beforeAll(async () => {
    scene = await openScene();
    file = join(scene.place.folder, 'backup.tar.gz');
    dataDirectory = join(scene.place.folder, 'restored');
    environment = { ...scene.environment, TOLLGATE_DATA: dataDirectory };
  }, 300_000);
  afterAll(() => scene?.close());

  test('a backup that is killed leaves no file that can be taken for a whole one', async () => {
    for (const point of ['backup.before-tables', 'backup.before-end']) {
      const said = await tollgate(['backup', '--to', file], {
        ...scene.environment,
        TOLLGATE_FAULTS: `${point}=kill`,
      });
      expect(said).toMatchObject(KILLED);
      expect(existsSync(file)).toBe(false);
    }
    const left = readdirSync(scene.place.folder).filter((name) => name.includes('.unfinished-'));
    expect(left).toHaveLength(2);
    for (const name of left) {
      const checked = await tollgate(
        ['restore', '--from', join(scene.place.folder, name), '--check'],
        scene.environment,
      );
      expect([checked.code, checked.stderr]).toEqual([1, expect.stringMatching(/not complete|not a backup/)]);
    }
  }, 300_000);

  test('a backup is taken while a server is under load, and disturbs nobody', async () => {
    const asked = ['backup', '--to', file, '--with-secret', '--json'];
    const taken = await backUpUnderLoad(scene, () => tollgate(asked, scene.environment));
    finished = taken.finished;
    expect(taken.said).toMatchObject({ code: 0, stderr: '' });
    const { bytes, journal } = JSON.parse(taken.said.stdout) as { bytes: number; journal: { bytes: number } };
    expect(bytes).toBe(statSync(file).size);
    // Streams were running.
    expect(journal.bytes).toBeGreaterThan(0);
    console.log(`proof | backup under load | ${taken.made} calls | ${bytes} bytes, journal ${journal.bytes}`);
    expect(await examine(scene.database)).toEqual([]);
  }, 300_000);

  test('a restore that is killed is noticed, and repeated it is complete', async () => {
    for (const point of [
      'restore.after-part=kill@4',
      'restore.before-commit=kill',
      'restore.after-commit=kill',
    ]) {
      const killed = await tollgate(['restore', '--from', file], { ...environment, TOLLGATE_FAULTS: point });
      expect(killed, point).toMatchObject(KILLED);
      for (const command of ['serve', 'doctor']) {
        const refused = await tollgate([command], environment);
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was interrupted')]);
      }
    }
    const restored = await tollgate(['restore', '--from', file], environment);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(dataDirectory, 'restore.unfinished'))).toBe(false);
    expect((await tollgate(['doctor'], environment)).stdout).toContain('no findings');
    // It is a used place now.
    const again = await tollgate(['restore', '--from', file], environment);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--replace')]);
  }, 300_000);

  test('the money is that of the moment of the backup, and the journal is settled exactly once', async () => {
    const embedded = await startEmbedded(dataDirectory, silentLogger);
    const database = await openDatabase({ connection: embedded.connection, log: silentLogger });
    try {
      expect(await wrongWallets(database, scene.database)).toEqual([]);
      const original = await chargesOf(scene.database);
      const before = await chargesOf(database);
      const server = await startServerProcess(environment);
      await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
      const restored = await chargesOf(database);
      expect(compareCharges(restored, original, finished)).toEqual([]);
      // Calls that ran, or had ended and were not settled, were in the journal.
      expect(restored.size).toBeGreaterThan(before.size);
      expect(await examine(database)).toEqual([]);
      const seen = await call(
        { url: server.url, key: scene.key },
        { shape: CHAT, way: 'plain', directive: 'tag=new' },
      );
      expect(seen.status).toBe(200);
      const settled = `${before.size} calls in the tables, ${restored.size - before.size} settled from the journal`;
      console.log(
        `proof | restore into an empty directory | ${finished.length} finished before | ${settled}`,
      );
      server.kill('SIGTERM');
      await server.exited;
      expect(await examine(database)).toEqual([]);
    } finally {
      await database.close();
      await embedded.stop();
    }
  }, 300_000);
});

describe('a database of one’s own, and Redis', needs(REDIS), () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ store: 'external', gate: 'redis' });
  }, 300_000);
  afterAll(() => scene?.close());

  test('needs no backup of Redis: a restored database serves with an empty one, and not with the old one', async () => {
    const file = join(scene.place.folder, 'backup.tar.gz');
    const asked = ['backup', '--to', file];
    const { finished, said } = await backUpUnderLoad(scene, () => tollgate(asked, scene.environment));
    expect(said).toMatchObject({ code: 0, stderr: '' });
    // From now on Redis knows a newer version of the account than the backup has.
    const changed = ['account', 'set', '--account', 'user@example.com', '--rate', '100'];
    expect(await tollgate(changed, scene.environment)).toMatchObject({ code: 0 });
    scene.server.kill('SIGTERM');
    await scene.server.exited;
    await scene.database.query('create database restored');
    const connection = withName(scene.environment.DATABASE_URL ?? '', 'restored');
    const secret = join(scene.place.dataDirectory, 'secret');
    const environment = {
      ...scene.environment,
      TOLLGATE_DATA: join(scene.place.folder, 'restored'),
      DATABASE_URL: connection,
      TOLLGATE_SECRET: readFileSync(secret, 'utf8').trim(),
    };
    expect(await tollgate(['restore', '--from', file], environment)).toMatchObject({ code: 0, stderr: '' });
    const database = await openDatabase({ connection, log: silentLogger });
    try {
      expect(await wrongWallets(database, scene.database)).toEqual([]);
      const ask = async (): Promise<Seen> => {
        const server = await startServerProcess(environment);
        const seen = await call(
          { url: server.url, key: scene.key },
          { shape: CHAT, way: 'plain', directive: 'tag=new' },
        );
        server.kill('SIGTERM');
        await server.exited;
        return seen;
      };
      const old = await ask();
      expect([old.status, codeOf(old)]).toEqual([503, UNAVAILABLE]);
      await scene.redis?.inspect.flushall();
      expect((await ask()).status).toBe(200);
      const wrong = compareCharges(await chargesOf(database), await chargesOf(scene.database), finished);
      expect(wrong.filter((line) => !line.endsWith('never was'))).toEqual([]);
      expect(await examine(database)).toEqual([]);
    } finally {
      await database.close();
    }
  }, 300_000);
});
