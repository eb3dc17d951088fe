import { afterEach, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../src/kernel/log.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World | undefined;
afterEach(() => world?.close());

interface Line {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

async function startLogged(environment: Record<string, string>): Promise<{ world: World; lines: Line[] }> {
  const lines: Line[] = [];
  const take =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields: { ...fields }, message });
  const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(take) as [Take, Take, Take, Take];
  const log: Logger = { ...silentLogger, debug, info, warn, error };
  world = await startWorld({ log, environment });
  return { world, lines };
}
type Take = Logger['info'];

const ask = (model: string) => ({
  model,
  messages: [{ role: 'user', content: 'my-private-words [[sim tokens=7]]' }],
});

test.each([
  ['debug', { TOLLGATE_LOG_LEVEL: 'debug' }],
  ['info', { TOLLGATE_CALL_LOG_LEVEL: 'info' }],
])(
  'every ended call is one line at level %s by choice, without content or secrets',
  async (level, environment) => {
    const { world, lines } = await startLogged(environment);
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
    const levels = lines.filter(({ message }) => message === 'call ended').map((line) => line.level);
    expect(levels).toEqual([level, level]);
    const all = JSON.stringify(lines);
    for (const secret of ['my-private-words', world.key, 'sk-sim-openai']) expect(all).not.toContain(secret);
  },
);

test.each([
  ['is not asked for', { TOLLGATE_LOG_LEVEL: 'info' }],
  ['is below the level of the log', { TOLLGATE_LOG_LEVEL: 'warn', TOLLGATE_CALL_LOG_LEVEL: 'info' }],
])('no call has a line where it %s', async (_why, environment) => {
  const { world, lines } = await startLogged(environment);
  await (await world.post('/v1/chat/completions', ask('gpt-5'))).text();
  await world.settled();
  expect(lines.filter(({ message }) => message === 'call ended')).toEqual([]);
});
