import { once } from 'node:events';
import process, { argv, stdout } from 'node:process';
import { connectRedis } from '../../src/gate/redis/connect.ts';
import { createRedisGate } from '../../src/gate/redis/gate.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  createCall,
  createCoverage,
  createFunds,
  createHold,
  createMoney,
  createPolicy,
  rule,
} from '../../src/gate/suite/world.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { sleep } from '../support/processes.ts';

/** One of several processes that storm the same limits at the same moment; it says how many calls got in. */
const [url = '', calls = '0', limit = '0', startAtMs = '0', wanted = ''] = argv.slice(2);
/** So many of this process wait for an answer at a time: Redis must answer each within its time. */
const AT_ONCE = 500;
const connection = await connectRedis(url, silentLogger, 30_000);
const gate = createRedisGate({ client: connection.client, clock: systemClock, log: silentLogger });
const credits = BigInt(limit) * 10n;
const dear = { leastMicro: 10n * CREDIT };
const rich = createFunds({ creditsMicro: credits * CREDIT * 100n });
const KINDS = {
  requests: { policy: createPolicy([rule('requests', 3600, BigInt(limit))]) },
  tokens: { policy: createPolicy([rule('tokens', 3600, BigInt(limit) * 7n)]), inputTokens: 7 },
  images: { policy: createPolicy([rule('images', 3600, BigInt(limit) * 2n)]), images: 2 },
  concurrency: { policy: createPolicy([], Number(limit)) },
  credits: { money: createHold(createFunds({ creditsMicro: credits * CREDIT }), dear) },
  cap: { money: createHold(rich, { ...dear, capMicro: credits * CREDIT_YUAN }) },
  coverage: { money: createMoney({ ...dear, coverage: createCoverage(credits) }) },
  amount: {
    policy: createPolicy([rule('amount', 3600, credits * CREDIT_YUAN)]),
    money: createHold(rich, dear),
  },
};

/** How many entered; whoever is neither let in nor refused spoils the count. */
async function storm(kind: keyof typeof KINDS, accountId: number): Promise<number> {
  let left = Number(calls);
  let entered = 0;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const callId = `req_${process.pid}_${crypto.randomUUID()}`;
      const result = await gate.enter({ ...createCall({ accountId, ...KINDS[kind] }), callId });
      if (result.kind === 'entered') entered += 1;
      else if (result.kind !== 'gate-refused') throw new Error(result.kind);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return entered;
}

await sleep(Math.max(0, Number(startAtMs) - systemClock.now()));
const entered: Record<string, number> = {};
for (const [index, kind] of (Object.keys(KINDS) as (keyof typeof KINDS)[]).entries()) {
  if (wanted.split(',').includes(kind)) entered[kind] = await storm(kind, index + 1);
}
// Who leaves first would let its calls run out while others still storm: all stay until the last is done.
const everybodyDone = once(process, 'SIGTERM');
stdout.write(`${JSON.stringify(entered)}\n`);
await everybodyDone;
await gate.close();
connection.close();
