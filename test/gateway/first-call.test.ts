import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test('a call is answered, metered by the vendor’s figures, charged and logged', async () => {
  const response = await world.post('/v1/chat/completions', {
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'hello [[sim tag=first tokens=100]]' }],
  });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { model: string };
  expect(answer.model).toBe('gpt-5');
  await world.settled();
  const [row] = await world.database.query<Record<string, unknown>>(
    'select * from calls where call_id = $1',
    [response.headers.get('x-request-id')],
  );
  const truth = world.simulator.truth.find('first');
  expect(truth?.outputTokens).toBe(100);
  // 10 yuan per million input tokens, 30 per million output tokens; a yuan is 1000 Credits.
  const inputTokens = truth?.inputTokens ?? 0;
  expect(row).toMatchObject({
    model_asked: 'gpt-5',
    status: 200,
    verdict: 'complete',
    estimated: false,
    amount_micro: BigInt(inputTokens * 10 + 100 * 30),
  });
});
