import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../../support/world.ts';
import { CLIENTS, DIALECTS, type Dialect, type Form } from '../../truth/dialects.ts';
import { loggedCall, paidCredits } from '../logged-call.ts';
import { startCloudWorld, WAY_NAMES, type WayName } from './cloud-world.ts';

let world: World;
beforeAll(async () => {
  world = await startCloudWorld();
});
afterAll(() => world.close());

/** One call of a client through a cloud: what it reads, and what it pays, is the vendor's truth. */
async function expectServed(client: Dialect, way: WayName, form: Form): Promise<void> {
  const tag = `${client}-${way}-${form}`;
  const said = `hello [[sim tag=${tag} tokens=40]]`;
  const asked = { model: way, form, system: undefined, turns: [said], tools: [] };
  const side = CLIENTS[client];
  const response = await world.post(side.path(asked), side.body(asked));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const truth = world.simulator.truth.find(tag);
  expect(read(client, form, text)).toBe(truth?.said?.text);
  const requestId = response.headers.get('x-request-id');
  const row = await loggedCall(world, requestId);
  expect(row).toMatchObject({
    verdict: 'complete',
    estimated: false,
    model_used: way,
    stream: form === 'stream',
  });
  const { inputTokens = 0, outputTokens = 0 } = truth ?? {};
  expect([row.input_fresh, row.output_text].map(Number)).toEqual([inputTokens, outputTokens]);
  const credits = BigInt(inputTokens) * 10_000n + BigInt(outputTokens) * 30_000n;
  expect(await paidCredits(world, requestId)).toBe(credits);
}

function read(client: Dialect, form: Form, text: string): string {
  const { text: textOf } = CLIENTS[client];
  if (form === 'plain') return textOf(JSON.parse(text));
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
  return lines.map((line) => textOf(JSON.parse(line.slice(6)))).join('');
}

describe.each(WAY_NAMES)('through %s', (way) => {
  test.each(DIALECTS)('a client of %s reads a plain answer and pays what the vendor counted', (client) =>
    expectServed(client, way, 'plain'),
  );

  test.each(DIALECTS)('a client of %s reads a stream and pays what the vendor counted', (client) =>
    expectServed(client, way, 'stream'),
  );
});
