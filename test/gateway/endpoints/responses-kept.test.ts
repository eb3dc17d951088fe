import type OpenAI from 'openai';
import type { Response as OpenaiResponse, ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTollgate } from '../../../src/app.ts';
import { silentLogger } from '../../../src/kernel/log.ts';
import { startWorld, type World } from '../../support/world.ts';
import { clientOf, failureOf } from './openai-client.ts';

let world: World;
let client: OpenAI;

beforeAll(async () => {
  world = await startWorld();
  client = clientOf(world.url, world.key);
});
afterAll(() => world.close());

function ask(model: string, text = 'My name is Ada.'): Promise<OpenaiResponse> {
  return client.responses.create({ model, input: `${text} [[sim tokens=5]]` });
}

describe('stored responses', () => {
  it('list their input, newest first, page by page', async () => {
    const first = await ask('gpt-5');
    const second = await client.responses.create({
      model: 'gpt-5',
      previous_response_id: first.id,
      input: [{ role: 'user', content: 'Go on. [[sim tokens=3]]' }],
    });
    const all = await client.responses.inputItems.list(second.id, { order: 'asc' });
    expect(all.data.map((item) => 'role' in item && item.role)).toEqual(['user', 'assistant', 'user']);
    expect(all.data[2]).toMatchObject({ content: [{ type: 'input_text', text: 'Go on. [[sim tokens=3]]' }] });
    expect(all.has_more).toBe(false);
    const ids = all.data.map(({ id }) => id);
    const page = await client.responses.inputItems.list(second.id, { limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(page.has_more).toBe(true);
    const rest = await client.responses.inputItems.list(second.id, { limit: 2, after: ids[1] ?? '' });
    expect(rest.data.map(({ id }) => id)).toEqual([ids[0]]);
    const seen: (string | undefined)[] = [];
    for await (const { id } of client.responses.inputItems.list(second.id, { limit: 1 })) seen.push(id);
    expect(seen).toEqual(ids.toReversed());
    const at = `${world.url}/v1/responses/${second.id}/input_items`;
    const raw = await fetch(`${at}?limit=2`, { headers: world.headers() });
    const shape = { object: 'list', data: page.data, has_more: true, first_id: ids[2], last_id: ids[1] };
    expect(await raw.json()).toEqual(shape);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'order=up']) {
      expect((await fetch(`${at}?${query}`, { headers: world.headers() })).status).toBe(400);
    }
    expect((await fetch(`${at}?after=msg_0`, { headers: world.headers() })).status).toBe(404);
  });

  it('are deleted with everything that could be referenced', async () => {
    const { id, output } = await ask('gpt-5');
    const deleted = await fetch(`${world.url}/v1/responses/${id}`, {
      method: 'DELETE',
      headers: world.headers(),
    });
    expect(deleted.status).toBe(200);
    expect(await deleted.json()).toEqual({ id, object: 'response', deleted: true });
    expect(await failureOf(client.responses.retrieve(id))).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      error: expect.objectContaining({ message: `Response with id '${id}' not found.` }),
    });
    expect(await failureOf(client.responses.delete(id))).toMatchObject({ status: 404 });
    const input: ResponseInputItem[] = [{ type: 'item_reference', id: output[0]?.id ?? '' }];
    expect(await failureOf(client.responses.create({ model: 'gpt-5', input }))).toMatchObject({
      status: 400,
    });
  });

  it('need a key, and report the allowed methods', async () => {
    const at = `${world.url}/v1/responses/resp_1`;
    const code = async (path: string, init: RequestInit) => {
      const response = await fetch(at + path, init);
      return ((await response.json()) as { code?: number }).code;
    };
    expect(await code('', {})).toBe(40_001);
    expect(await code('', { headers: { authorization: 'Bearer nonsense' } })).toBe(40_101);
    const headers = world.headers();
    expect(await code('', { method: 'PUT', headers, body: '{}' })).toBe(40_501);
    expect(await code('/input_items', { method: 'DELETE', headers })).toBe(40_501);
    expect(await code('/cancel', { headers })).toBe(40_501);
    expect(await code('?stream=true', { headers })).toBe(40_004);
    expect(await code('/else', { headers })).toBe(40_401);
    const put = await fetch(at, { method: 'PUT', headers, body: '{}' });
    expect(put.headers.get('allow')).toBe('GET, DELETE');
  });
});

describe('after a restart', () => {
  it('conversations continue, and end when their time is over', async () => {
    const model = 'claude-sonnet-5';
    const first = await ask(model, 'My name is Zoe.');
    await world.tollgate.stop();
    let tollgate = await startTollgate(world.config, silentLogger);
    try {
      const later = clientOf(tollgate.url, world.key);
      await later.responses.create({
        model,
        previous_response_id: first.id,
        input: '[[sim tag=restarted tokens=3]]',
      });
      const call = world.simulator.truth.find('restarted');
      expect(String(call && world.simulator.truth.body(call))).toContain('My name is Zoe.');
      expect((await later.responses.retrieve(first.id)).output_text).toBe(first.output_text);
      await tollgate.stop();
      await world.database.query(`update conversations set created_at = created_at - interval '30 days'`);
      tollgate = await startTollgate(world.config, silentLogger);
      const muchLater = clientOf(tollgate.url, world.key);
      expect(await failureOf(muchLater.responses.retrieve(first.id))).toMatchObject({ status: 404 });
    } finally {
      await tollgate.stop();
    }
  });
});
