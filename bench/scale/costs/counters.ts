/** What Redis and PostgreSQL say of their own work since they began. */
import { connect } from 'node:net';
import { silentLogger } from '../../../src/kernel/log.ts';
import { openDatabase } from '../../../src/store/database.ts';
import type { StoreAddresses } from '../../target.ts';

/** Sums since the server began, or of its present size; two readings make a difference. */
export type Counters = Readonly<Record<string, number>>;

const INFO_TIMEOUT_MS = 5_000;

export async function readCounters({ databaseUrl, redisUrl }: StoreAddresses): Promise<Counters> {
  return { ...parseInfo(await askInfo(new URL(redisUrl))), ...(await readDatabase(databaseUrl)) };
}

export function differenceOf(before: Counters, after: Counters): Counters {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
}

/** `INFO all` in the protocol of Redis: a length, and so many bytes. */
function askInfo({ hostname, port }: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setTimeout(INFO_TIMEOUT_MS, () => socket.destroy(new Error('Redis does not answer INFO')));
    socket.once('error', reject);
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const length = /^\$(\d+)\r\n/.exec(text);
      if (length === null || text.length < length[0].length + Number(length[1])) return;
      socket.destroy();
      resolve(text);
    });
    socket.write('INFO all\r\n');
  });
}

/** The scripts of the gate are what a call costs; other commands of Redis run inside of them. */
export function parseInfo(text: string): Counters {
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    redisBytesIn: number(/^total_net_input_bytes:(\d+)/m),
    redisBytesOut: number(/^total_net_output_bytes:(\d+)/m),
    redisCommands: number(/^total_commands_processed:(\d+)/m),
    redisScripts: number(/^cmdstat_evalsha:calls=(\d+)/m),
    redisScriptUs: number(/^cmdstat_evalsha:calls=\d+,usec=(\d+)/m),
    redisMemoryBytes: number(/^used_memory:(\d+)/m),
  };
}

async function readDatabase(connection: string): Promise<Counters> {
  const database = await openDatabase({ connection, log: silentLogger, connectionsMax: 1 });
  try {
    const tables = await database.query<{ name: string; inserted: number; updated: number; bytes: number }>(
      `select coalesce(parent.relname, s.relname) as name, sum(n_tup_ins)::float8 as inserted,
              sum(n_tup_upd)::float8 as updated, sum(pg_total_relation_size(s.relid))::float8 as bytes
         from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid
              left join pg_class parent on parent.oid = i.inhparent
        group by 1`,
    );
    const [whole] = await database.query<{ commits: number; wal: number }>(
      `select xact_commit::float8 as commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
         from pg_stat_database where datname = current_database()`,
    );
    const named = tables.flatMap(({ name, inserted, updated, bytes }) => [
      [`inserted ${name}`, inserted],
      [`updated ${name}`, updated],
      [`bytes ${name}`, bytes],
    ]);
    const rows = { postgresCommits: whole?.commits ?? 0, postgresWalBytes: whole?.wal ?? 0 };
    return { ...rows, ...Object.fromEntries(named) };
  } finally {
    await database.close();
  }
}
