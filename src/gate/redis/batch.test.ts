import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { Batch, type ScriptCommands } from './batch.ts';
import { GATE_OPERATIONS_CHARS, GATE_OPERATIONS_PER_RUN } from './bounds.ts';
import { hadNoEffect, OPERATIONS } from './script.ts';
import { versionArguments, WRITING_ARGUMENTS } from './script-arguments.ts';

/** The server, with a list of the keys that each command names. */
function watch(redis: TestRedis): ScriptCommands & { readonly runs: string[][] } {
  const runs: string[][] = [];
  return {
    runs,
    evalsha: (hash, count, ...words) => {
      runs.push(words.slice(0, count));
      return redis.inspect.evalsha(hash, count, ...words);
    },
    eval: (text, count, ...words) => redis.inspect.eval(text, count, ...words),
  };
}

describe('operations of one turn', needs(REDIS), () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  const version = versionArguments(undefined, 1);

  it('are one command, whatever accounts they are of', async () => {
    const commands = watch(redis);
    const batch = new Batch(commands, 'server');
    const answers = ['{1}', '{2}', '{1}'].map((hash) => batch.run(hash, version));
    expect(await Promise.all(answers)).toEqual(['OK', 'OK', 'OK']);
    expect(commands.runs).toEqual([['{1}', '{2}', '{1}']]);
    expect(await redis.inspect.hget('{2}', 'v')).toBe('1');
  });

  it('are one command for each account of a cluster, because their slots differ', async () => {
    const commands = watch(redis);
    const batch = new Batch(commands, 'cluster');
    await Promise.all(['{1}', '{2}', '{1}'].map((hash) => batch.run(hash, version)));
    expect(commands.runs).toEqual([['{1}', '{1}'], ['{2}']]);
  });

  it('are several commands if they are many or long, so that no run is', async () => {
    const commands = watch(redis);
    const batch = new Batch(commands, 'server');
    const many = Array.from({ length: GATE_OPERATIONS_PER_RUN * 2 + 1 }, (_, index) => `{${index}}`);
    await Promise.all(many.map((hash) => batch.run(hash, version)));
    expect(commands.runs.map((keys) => keys.length)).toEqual([
      GATE_OPERATIONS_PER_RUN,
      GATE_OPERATIONS_PER_RUN,
      1,
    ]);
    expect(commands.runs.flat()).toEqual(many);
    const long = `${version} ${'x'.repeat(GATE_OPERATIONS_CHARS)}`;
    await Promise.all(['{1}', '{2}'].map((hash) => batch.run(hash, long)));
    expect(commands.runs.slice(3)).toEqual([['{1}'], ['{2}']]);
  });

  it('fail alone: a key of another kind stops nobody else', async () => {
    const batch = new Batch(redis.inspect, 'server');
    await redis.inspect.set('{wrong}', 'text');
    const [before, wrong, after] = await Promise.allSettled(
      ['{3}', '{wrong}', '{4}'].map((hash) => batch.run(hash, version)),
    );
    expect(before).toEqual({ status: 'fulfilled', value: 'OK' });
    expect(after).toEqual({ status: 'fulfilled', value: 'OK' });
    expect(wrong).toMatchObject({
      status: 'rejected',
      reason: { name: 'ReplyError', message: expect.stringContaining('WRONGTYPE') },
    });
  });

  it('see what the ones before have changed', async () => {
    const batch = new Batch(redis.inspect, 'server');
    const lines = [5, 7, 6].map((number) => versionArguments(undefined, number));
    await Promise.all(lines.map((line) => batch.run('{5}', line)));
    expect(await redis.inspect.hget('{5}', 'v')).toBe('7');
  });

  it('had no effect on a server that is full, and are known to have had none', async () => {
    const batch = new Batch(redis.inspect, 'server');
    await redis.inspect.config('SET', 'maxmemory', '1');
    const full = await Promise.allSettled(['{full}', '{also-full}'].map((hash) => batch.run(hash, version)));
    await redis.inspect.config('SET', 'maxmemory', '0');
    for (const each of full) expect(each.status === 'rejected' && hadNoEffect(each.reason)).toBe(true);
    expect(await redis.inspect.exists('{full}', '{also-full}')).toBe(0);
  });

  it('fail together on a replica, which is how the client knows that it must connect again', async () => {
    const commands = watch(redis);
    const batch = new Batch(commands, 'server');
    await redis.inspect.replicaof('127.0.0.1', 1);
    const refused = await Promise.allSettled(['{r1}', '{r2}'].map((hash) => batch.run(hash, version)));
    await expect(commands.evalsha(OPERATIONS.hash, 1, '{r1}', version)).rejects.toThrow(/^READONLY/);
    await redis.inspect.replicaof('NO', 'ONE');
    for (const each of refused) expect(each.status === 'rejected' && hadNoEffect(each.reason)).toBe(true);
  });

  it('fail together if the command fails', async () => {
    const closed = {
      evalsha: () => Promise.reject(new Error('Connection is closed.')),
      eval: async () => [],
    };
    const batch = new Batch(closed, 'server');
    const lost = await Promise.allSettled(['{1}', '{2}'].map((hash) => batch.run(hash, version)));
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('that only try whether the server can be written leave nothing behind', async () => {
    expect(await new Batch(redis.inspect, 'server').run('{tried}', WRITING_ARGUMENTS)).toBe('OK');
    expect(await redis.inspect.exists('{tried}')).toBe(0);
  });
});
