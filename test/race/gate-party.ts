import { argv, stdout } from 'node:process';
import { connectRedis } from '../../src/gate/redis/connect.ts';
import { createRedisGate } from '../../src/gate/redis/gate.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  callOf,
  coverOf,
  fundsOf,
  holdOf,
  moneyOf,
  policyOf,
  rule,
} from '../../src/gate/suite/world.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { sleep } from '../support/processes.ts';

/** One of several processes that storm the same limits at the same moment; it says how many calls got in. */
const [url = '', calls = '0', limit = '0', startAtMs = '0'] = argv.slice(2);
const connection = await connectRedis(url, silentLogger, 30_000);
const gate = createRedisGate({ client: connection.client, clock: systemClock, log: silentLogger });
const credits = BigInt(limit) * 10n;
const dear = { leastMicro: 10n * CREDIT };
const rich = fundsOf({ creditsMicro: credits * CREDIT * 100n });
const KINDS = {
  requests: { policy: policyOf([rule('requests', 3600, BigInt(limit))]) },
  concurrency: { policy: policyOf([], Number(limit)) },
  credits: { money: holdOf(fundsOf({ creditsMicro: credits * CREDIT }), dear) },
  cap: { money: holdOf(rich, { ...dear, capMicro: credits * CREDIT_YUAN }) },
  coverage: { money: moneyOf({ ...dear, coverage: coverOf(credits) }) },
  amount: { policy: policyOf([rule('amount', 3600, credits * CREDIT_YUAN)]), money: holdOf(rich, dear) },
};

await sleep(Math.max(0, Number(startAtMs) - systemClock.now()));
const entered: Record<string, number> = {};
for (const [index, [kind, parts]] of Object.entries(KINDS).entries()) {
  const accountId = index + 1;
  const storm = Array.from({ length: Number(calls) }, () =>
    gate.enter({ ...callOf({ accountId, ...parts }), callId: `req_${process.pid}_${crypto.randomUUID()}` }),
  );
  entered[kind] = (await Promise.all(storm)).filter((result) => result.kind === 'entered').length;
}
stdout.write(`${JSON.stringify(entered)}\n`);
await gate.close();
connection.close();
