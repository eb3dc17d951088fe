import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/processes.ts';
import { openScene, type Scene } from './trial/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
}, 300_000);
afterAll(() => scene?.close());

const LINE = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-5', max_completion_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
});

/** The id of the file. Undefined if the server is gone. */
async function upload(name: string): Promise<string | undefined> {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([LINE]), name);
  const headers = { authorization: `Bearer ${scene.key}` };
  const sent = fetch(`${scene.server.url}/v1/files`, { method: 'POST', headers, body: form });
  const response = await sent.catch(() => undefined);
  if (response === undefined) return undefined;
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

async function filesAtVendor(): Promise<readonly string[]> {
  const headers = { authorization: 'Bearer sk-sim-openai' };
  const response = await fetch(`${scene.simulator.url}/v1/files`, { headers });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

test('nothing of an upload is left at the vendor when the server dies before it knows of the file', async () => {
  const kept = await upload('a.jsonl');
  scene.server.kill('SIGKILL');
  await scene.server.exited;
  await scene.start({ TOLLGATE_FAULTS: 'upload.after-answer=kill@1' });
  expect(await upload('a.jsonl')).toBeUndefined();
  expect((await scene.server.exited).signal).toBe('SIGKILL');
  expect(await filesAtVendor()).toHaveLength(2);
  await scene.start();
  await until(async () => (await filesAtVendor()).length === 1);
  expect(await filesAtVendor()).toEqual([kept]);
  expect(await upload('b.jsonl')).toBeDefined();
}, 300_000);
