import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import { until } from '../support/processes.ts';
import { openScene, type Scene } from './trial/scene.ts';

const POINTS = ['batch.after-results', 'job.before-end-commit', 'job.after-end-commit'] as const;
const ITEMS = 20;
/** Micro-Credits for a token: 200 and 1000 yuan for a million, and 1000 Credits for a yuan. */
const INPUT_PRICE = 200_000n;
const OUTPUT_PRICE = 1_000_000n;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
}, 300_000);
afterAll(() => scene?.close());

const headers = () => ({ authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' });

interface Created {
  readonly id: string;
  readonly callId: string;
}

/** It has ended when its vendor is first asked. */
async function createBatch(): Promise<Created> {
  const requests = Array.from({ length: ITEMS }, (_, at) => {
    const messages = [{ role: 'user', content: `Say ${at}. [[sim tokens=${10 + at} steps=1]]` }];
    return { custom_id: `item-${at}`, params: { model: 'claude-sonnet-5', max_tokens: 200, messages } };
  });
  const url = `${scene.server.url}/v1/messages/batches`;
  const body = JSON.stringify({ requests });
  const response = await fetch(url, { method: 'POST', headers: headers(), body });
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as { id: string };
  return { id, callId: response.headers.get('x-request-id') ?? '' };
}

/** What the vendor's results say that the items used. */
async function costOf({ id }: Created): Promise<bigint> {
  const url = `${scene.server.url}/v1/messages/batches/${id}/results`;
  const lines = (await (await fetch(url, { headers: headers() })).text()).trim().split('\n');
  expect(lines).toHaveLength(ITEMS);
  return lines.reduce((sum, line) => {
    const { usage } = JSON.parse(line).result.message;
    return sum + BigInt(usage.input_tokens) * INPUT_PRICE + BigInt(usage.output_tokens) * OUTPUT_PRICE;
  }, 0n);
}

async function movesOf({ callId }: Created): Promise<readonly (readonly [string, bigint])[]> {
  const rows = await scene.database.query<{ kind: string; change_micro: bigint }>(
    'select kind, change_micro from ledger_entries where ref = $1 and account_id is not null order by seq',
    [callId],
  );
  return rows.map(({ kind, change_micro: change }) => [kind, change]);
}

test('a batch is charged once and exactly, wherever the server that reads its results dies', async () => {
  const { database } = scene;
  const running = async () =>
    (await database.query("select 1 from jobs where state = 'running' limit 1")).length > 0;
  for (const point of POINTS) {
    scene.server.kill('SIGKILL');
    await scene.server.exited;
    await scene.start({ TOLLGATE_FAULTS: `${point}=kill@1` });
    const made = await createBatch();
    expect((await scene.server.exited).signal).toBe('SIGKILL');
    // What the dead server had kept for itself is nobody's for a while.
    await database.query("update jobs set examine_at = now() where state = 'running'");
    await scene.start();
    await until(async () => !(await running()));
    const cost = await costOf(made);
    const [hold, back, charge, ...more] = await movesOf(made);
    expect([hold?.[0], back, charge, more]).toEqual([
      'hold',
      ['hold', -(hold?.[1] ?? 0n)],
      ['consumption', -cost],
      [],
    ]);
    expect(-(hold?.[1] ?? 0n)).toBeGreaterThan(cost);
  }
  expect(await examine(database)).toEqual([]);
}, 600_000);
