import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTollgate } from '../../src/app.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { StartRefused } from '../../src/setup.ts';
import { type Need, needs } from '../needs.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: { TOLLGATE_HOST: '0.0.0.0', TOLLGATE_SECRET: 's'.repeat(32) } });
});
afterAll(() => world.close());

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address;
const OUTSIDE: Need = {
  name: 'an address outside of loopback',
  isMet: outside !== undefined,
  how: 'connect the machine to a network, with IPv4',
};

test('metrics, health and readiness are on a port of their own, without a key', async () => {
  const { opsUrl } = world.tollgate;
  expect(new URL(opsUrl).hostname).toBe('127.0.0.1');
  expect(new URL(opsUrl).port).not.toBe(new URL(world.url).port);
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(opsUrl + path, { method })).status;
  expect(await world.figures()).toMatch(/^tollgate_active_calls 0$/m);
  expect(await Promise.all(['/metrics', '/healthz', '/readyz'].map((path) => status(path)))).toEqual([
    200, 200, 200,
  ]);
  expect(await Promise.all(['/', '/v1/models', '/docs', '/api/v1/x'].map((path) => status(path)))).toEqual([
    404, 404, 404, 404,
  ]);
  expect(await status('/metrics', 'POST')).toBe(404);
});

test('the public port has no metrics', async () => {
  const publicUrl = world.url.replace('0.0.0.0', '127.0.0.1');
  for (const path of ['/metrics', '/metrics/', '/metrics?x', '//metrics'])
    expect((await fetch(publicUrl + path)).status, path).toBe(404);
});

test('only the public port is reachable from outside', needs(OUTSIDE), async () => {
  const { port } = new URL(world.tollgate.opsUrl);
  expect((await fetch(`http://${outside}:${new URL(world.url).port}/healthz`)).status).toBe(200);
  await expect(fetch(`http://${outside}:${port}/metrics`)).rejects.toThrow();
});

test('a port in use is reported with its setting', async () => {
  const { port } = new URL(world.tollgate.opsUrl);
  const config = { ...world.config, dataDirectory: `${world.config.dataDirectory}-2`, opsPort: Number(port) };
  const start = startTollgate(config, silentLogger);
  await expect(start).rejects.toThrow(StartRefused);
  await expect(start).rejects.toThrow(/TOLLGATE_OPS_PORT/);
});
