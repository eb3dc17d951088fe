/**
 * `npm run bench:costs`: what a call costs each part of an installation, measured here in some five minutes.
 * It prints the table; `--write` puts it into bench/scale/costs.json, from which `npm run simulate:scale`
 * computes everything else.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findCores, moveToCore } from '../../cores.ts';
import { type CostTable, isDisturbed, writeCosts } from '../table.ts';
import { measureDeployment, type Timing } from './measure.ts';
import { measureSettling } from './settling.ts';

/** Small JSON at four rates and as fast as it goes; short streams; long ones that are converted. */
const SERVER = ['load-300', 'load-600', 'json-open', 'load-2400', 'json-small', 'stream-short'] as const;
const CONVERTED = 'messages-over-chat';
const CLUSTER = ['load-300', 'json-open', 'json-small'] as const;
const CLUSTER_ACCOUNTS = 1_000;

const FULL: Timing = { warmFirstMs: 8_000, warmMs: 1_500, measureMs: 8_000, countedMs: 11_000 };
const QUICK: Timing = { warmFirstMs: 1_000, warmMs: 500, measureMs: 1_500, countedMs: 11_000 };
const SETTLED = { full: 50_000, quick: 5_000 } as const;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { write: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  });
  const cores = findCores();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-costs-'));
  // A database may run as another user, who must be able to pass through.
  chmodSync(folder, 0o755);
  moveToCore(cores.harness, [process.pid]);
  const timing = values.quick ? QUICK : FULL;
  const external = { stores: 'postgres-redis' } as const;
  try {
    const measuredAt = new Date().toISOString();
    const on = (name: string) => ({ folder: join(folder, name), cores, timing });
    const server = await measureDeployment(
      { ...external, name: 'server' },
      [...SERVER, CONVERTED],
      on('server'),
    );
    const cluster = await measureDeployment(
      { ...external, name: 'cluster', gate: 'cluster', accounts: CLUSTER_ACCOUNTS },
      CLUSTER,
      on('cluster'),
    );
    const settling = await measureSettling(
      join(folder, 'settling'),
      values.quick ? SETTLED.quick : SETTLED.full,
    );
    report(
      {
        measuredAt,
        machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
        placement: cores.words,
        server: server.windows,
        cluster: cluster.windows,
        rows: server.rows,
        settling,
      },
      values.write ? 'write' : 'print',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(table: CostTable, to: 'write' | 'print'): void {
  if (to === 'print') console.log(JSON.stringify(table, null, 2));
  else console.log(writeCosts(table));
  if (isDisturbed(table)) console.error('other work ran on the machine: the figures are of a busy one');
}

await main();
