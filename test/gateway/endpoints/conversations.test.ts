import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import { clientOf, failureOf } from './openai-client.ts';

const CHAT_ONLY = `
  - model_id: chat-only
    prices: { input: "10", output: "30" }
    max_output_tokens: 16000
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]
policies:`;

let world: World;
let client: OpenAI;
let stranger: OpenAI;

beforeAll(async () => {
  world = await startWorld({ catalog: STANDARD_CATALOG.replace('\npolicies:', CHAT_ONLY) });
  client = clientOf(world.url, world.key);
  stranger = clientOf(world.url, await world.newKey('poor@example.com'));
});
afterAll(() => world.close());

function heard(tag: string): string {
  const call = world.simulator.truth.find(tag);
  const body = call === undefined ? undefined : world.simulator.truth.body(call);
  return body?.toString('utf8') ?? expect.unreachable(`no vendor heard ${tag}`);
}

const USER = { type: 'message', role: 'user', content: 'My name is Ada.' } as const;

/** The texts of all items, the oldest first. */
async function textsOf(id: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 2 })) {
    const parts = item.type === 'message' ? item.content : [];
    texts.push(parts.map((part) => ('text' in part ? part.text : '')).join(''));
  }
  return texts;
}

it('makes, reads, changes and deletes a conversation and its items', async () => {
  const made = await client.conversations.create({ items: [USER], metadata: { topic: 'names' } });
  expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'names' } });
  expect(made.id).toMatch(/^conv_[0-9a-f]{48}$/);
  expect(await client.conversations.retrieve(made.id)).toEqual(made);
  const changed = await client.conversations.update(made.id, { metadata: { topic: 'cities' } });
  expect(changed).toEqual({ ...made, metadata: { topic: 'cities' } });

  const added = await client.conversations.items.create(made.id, {
    items: [
      { ...USER, content: 'I live in Oslo.' },
      { ...USER, content: 'It rains.' },
    ],
  });
  expect(added.data).toHaveLength(2);
  expect(await textsOf(made.id)).toEqual(['My name is Ada.', 'I live in Oslo.', 'It rains.']);
  const [first] = added.data;
  const itemId = first !== undefined && 'id' in first ? String(first.id) : '';
  const place = { conversation_id: made.id };
  expect(await client.conversations.items.retrieve(itemId, place)).toEqual(first);
  expect(await client.conversations.items.delete(itemId, place)).toMatchObject({ id: made.id });
  expect(await textsOf(made.id)).toEqual(['My name is Ada.', 'It rains.']);
  expect(await failureOf(client.conversations.items.retrieve(itemId, place))).toMatchObject({ status: 404 });

  const gone = await client.conversations.delete(made.id);
  expect(gone).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true });
  expect(await failureOf(client.conversations.retrieve(made.id))).toMatchObject({ status: 404 });
});

describe.each([
  ['gpt-5', 'plain'],
  ['gpt-5', 'stream'],
  ['chat-only', 'plain'],
  ['chat-only', 'stream'],
] as const)('%s, %s', (model, way) => {
  it('continues a conversation, and adds what was asked and answered', async () => {
    const { id } = await client.conversations.create({ items: [USER] });
    const tag = `talk-${model}-${way}`;
    const input = `Who am I? [[sim tag=${tag} tokens=3]]`;
    const conversation = way === 'plain' ? id : { id };
    if (way === 'plain') await client.responses.create({ model, input, conversation });
    else for await (const _ of await client.responses.create({ model, input, conversation, stream: true }));
    expect(heard(tag)).toContain('My name is Ada.');
    expect(heard(tag)).not.toContain(id);
    await expect.poll(() => textsOf(id)).toHaveLength(3);
    const [, asked, answered] = await textsOf(id);
    expect(asked).toBe(input);
    expect(answered).not.toBe('');

    const again = `And now? [[sim tag=${tag}-2 tokens=3]]`;
    await client.responses.create({ model, input: again, conversation: id, store: false });
    expect(heard(`${tag}-2`)).toContain(answered);
    await expect.poll(() => textsOf(id)).toHaveLength(5);
  });
});

it('belongs to one account', async () => {
  const { id } = await client.conversations.create({ items: [USER] });
  const missing = {
    status: 404,
    message: expect.stringContaining(`Conversation with id '${id}' not found.`),
  };
  const input = 'Hello';
  for (const attempt of [
    () => stranger.conversations.retrieve(id),
    () => stranger.conversations.update(id, { metadata: {} }),
    () => stranger.conversations.delete(id),
    () => stranger.conversations.items.list(id),
    () => stranger.conversations.items.create(id, { items: [USER] }),
    () => stranger.responses.create({ model: 'gpt-5', input, conversation: id }),
  ]) {
    expect(await failureOf(Promise.resolve(attempt()))).toMatchObject(missing);
  }
  expect(await textsOf(id)).toEqual(['My name is Ada.']);
});

it('refuses what cannot be stored, and says why', async () => {
  const { id } = await client.conversations.create();
  const first = await client.responses.create({ model: 'gpt-5', input: 'Hello' });
  const input = 'Hello';
  for (const [attempt, message] of [
    [() => client.conversations.create({ metadata: { topic: 7 as unknown as string } }), "'metadata'"],
    [() => client.conversations.create({ items: Array.from({ length: 21 }, () => USER) }), "'items'"],
    [() => client.conversations.items.create(id, { items: [] }), "'items'"],
    [
      () => client.conversations.items.create(id, { items: [{ type: 'item_reference', id: 'x' }] }),
      "'items'",
    ],
    [
      () =>
        client.responses.create({ model: 'gpt-5', input, conversation: id, previous_response_id: first.id }),
      'Mutually exclusive',
    ],
    [
      () => client.responses.create({ model: 'gpt-5', input, conversation: 7 as unknown as string }),
      '"conversation" must be',
    ],
  ] as const) {
    expect(await failureOf(Promise.resolve(attempt()))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  }
});
