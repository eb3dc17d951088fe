import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { sampleAccount, sampleCatalog, sampleKey } from '../../test/support/samples.ts';
import { newApiKey } from '../accounts/api-key.ts';
import { type Caller, StoreUnavailable } from '../accounts/contract.ts';
import type { EnterRequest, EnterResult } from '../gate/contract.ts';
import { isRefusal } from '../kernel/errors.ts';
import { seededRandom } from '../kernel/random.ts';
import { getDialect } from '../protocol/registry.ts';
import { type Call, newCall } from './call.ts';
import { CallRunner } from './call-runner.ts';
import type { Gateway } from './gateway.ts';

const KEY = newApiKey(seededRandom(1));
const BODY = Buffer.from('{"model":"gpt-5","messages":[]}');
const FULL: EnterResult = {
  kind: 'gate-refused',
  reason: 'requests',
  limit: 1n,
  used: 1n,
  seconds: 60,
  retryAfterMs: 5_000,
  scope: 'account:7',
  freeMicro: 0n,
  heldMicro: 0n,
};

interface Stage {
  /** What the gate says, one time after the other; the last one stays. */
  readonly gate: readonly EnterResult[];
  /** What the store has when it is asked again. */
  readonly stored?: () => Caller | undefined | Promise<Caller | undefined>;
}

const createCaller = (version: number, apiBilling = true): Caller => ({
  account: sampleAccount({ version, apiBilling }),
  key: sampleKey(),
  // The first one was read long ago, those that the store is asked for are new.
  readAtMs: version === 1 ? 0 : 100_000,
});

/** A call runner that ends at the gate. */
async function travel({ gate, stored = () => createCaller(2) }: Stage) {
  const entered: EnterRequest[] = [];
  const forgotten: number[] = [];
  const enter = async (request: EnterRequest): Promise<EnterResult> => {
    entered.push(request);
    return gate[Math.min(entered.length, gate.length) - 1] ?? FULL;
  };
  const gateway = {
    directory: {
      catalog: () => sampleCatalog(),
      findCaller: stored,
      forgetAccount: (id: number) => void forgotten.push(id),
    },
    deps: {
      gate: { enter },
      journal: { writable: true },
      health: { condition: () => 'ready', freeInMs: () => 0, reserve: () => undefined },
      settlement: { creditsPerYuan: 1000 },
      observer: { gateRefused() {} },
      clock: { monotonic: () => 100_000 },
    },
    calendar: { month: () => '2026-01' },
    random: seededRandom(1),
    nodeName: 'n',
    isDraining: () => false,
  } as unknown as Gateway;
  const raw = { body: BODY, contentType: 'application/json', path: undefined };
  const facts = await getDialect('chat').readRequest(raw);
  if (isRefusal(facts)) throw new Error(facts.message);
  const endpoint = {
    protocol: 'chat',
    path: undefined,
    edit: false,
    query: '',
  } as unknown as Call['endpoint'];
  const call = newCall({ id: 'c', createdAtMs: 1_000, startedAt: 0, endpoint, caller: createCaller(1) });
  const headers = { authorization: `Bearer ${KEY}` };
  const response = {} as ServerResponse;
  const refusal = await new CallRunner(call, { raw, facts, response, headers }, gateway).run();
  const versions = entered.map(({ accountVersion }) => accountVersion);
  const ages = entered.map(({ accountAgeMs }) => accountAgeMs);
  return { refusal, versions, ages, forgotten, call };
}

test('an account that another node changed is read again, and the call is decided with the new one', async () => {
  const { refusal, versions, ages, forgotten, call } = await travel({ gate: [{ kind: 'stale' }, FULL] });
  expect(refusal?.error.code).toBe(42902);
  expect(versions).toEqual([1, 2]);
  expect(ages).toEqual([100_000, 0]);
  expect(forgotten).toEqual([7]);
  expect(call.caller.account.version).toBe(2);
});

test('a call that the changed account may not make is refused', async () => {
  const off = await travel({ gate: [{ kind: 'stale' }], stored: () => createCaller(2, false) });
  expect([off.refusal?.error.code, off.versions]).toEqual([40202, [1]]);
  const deleted = await travel({ gate: [{ kind: 'stale' }], stored: () => undefined });
  expect(deleted.refusal?.error.code).toBe(40101);
});

test('an account that changes faster than it is read ends in 50301', async () => {
  const { refusal, versions } = await travel({ gate: [{ kind: 'stale' }] });
  expect([refusal?.error.code, refusal?.retryAfterSeconds]).toEqual([50301, 1]);
  expect(versions).toEqual([1, 2, 2]);
});

test('a store that is away during the second read is 50301', async () => {
  const stored = () => Promise.reject(new StoreUnavailable('away'));
  const { refusal } = await travel({ gate: [{ kind: 'stale' }], stored });
  expect(refusal?.error.code).toBe(50301);
});

test('a gate that is away is 50301 with its wait, and nothing is free of charge', async () => {
  const { refusal, call } = await travel({ gate: [{ kind: 'gate-away', retryAfterMs: 3_000 }] });
  expect([refusal?.error.code, refusal?.retryAfterSeconds]).toEqual([50301, 3]);
  expect([call.lease, call.payer]).toEqual([undefined, 'none']);
});
