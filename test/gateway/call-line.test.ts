import { afterEach, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../src/kernel/log.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World | undefined;
afterEach(() => world?.close());

interface Line {
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

async function startLogged(level: string): Promise<{ world: World; lines: Line[] }> {
  const lines: Line[] = [];
  const take = (fields: object, message: string): void => void lines.push({ fields: { ...fields }, message });
  const log: Logger = { ...silentLogger, debug: take, info: take, warn: take, error: take };
  world = await startWorld({ log, environment: { TOLLGATE_LOG_LEVEL: level } });
  return { world, lines };
}

const ask = (model: string) => ({
  model,
  messages: [{ role: 'user', content: 'my-private-words [[sim tokens=7]]' }],
});

test('every ended call is one line at level debug, without content or secrets', async () => {
  const { world, lines } = await startLogged('debug');
  const served = await world.post('/v1/chat/completions', ask('gpt-5'));
  await served.text();
  const refused = await world.post('/v1/chat/completions', ask('plan-only'));
  await refused.text();
  await world.settled();
  const ended = lines.filter(({ message }) => message === 'call ended').map(({ fields }) => fields);
  expect(ended).toEqual([
    {
      requestId: served.headers.get('x-request-id'),
      accountId: expect.any(Number),
      keyId: expect.any(Number),
      modelAsked: 'gpt-5',
      modelUsed: 'gpt-5',
      route: Number(served.headers.get('x-tollgate-route')),
      attempts: 1,
      status: 200,
      errorCode: null,
      verdict: 'complete',
      inputTokens: expect.any(Number),
      outputTokens: 7,
      estimated: false,
      durationMs: expect.any(Number),
    },
    expect.objectContaining({
      requestId: refused.headers.get('x-request-id'),
      modelAsked: 'plan-only',
      route: null,
      status: 403,
      errorCode: 40203,
      verdict: 'refused',
      outputTokens: 0,
    }),
  ]);
  const all = JSON.stringify(lines);
  for (const secret of ['my-private-words', world.key, 'sk-sim-openai']) expect(all).not.toContain(secret);
});

test('no call has a line at level info', async () => {
  const { world, lines } = await startLogged('info');
  await (await world.post('/v1/chat/completions', ask('gpt-5'))).text();
  await world.settled();
  expect(lines.filter(({ message }) => message === 'call ended')).toEqual([]);
});
