import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the wire forms are read as they come
type Wire = any;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const MODEL = 'gemini-3-pro';
const sseData = (text: string): readonly Wire[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));

interface Client {
  readonly path: string;
  body(turns: readonly Wire[], stream: boolean): Wire;
  question(text: string): Wire;
  /** The client's next turns: what it got, as it keeps it. */
  turnsOf(answer: Wire): readonly Wire[];
  /** What an SDK makes of a stream. */
  assemble(events: readonly Wire[]): Wire;
  /** The kinds of what the client got, in their order. */
  kinds(answer: Wire): readonly string[];
}

const CLIENTS: Readonly<Record<string, Client>> = {
  messages: {
    path: '/v1/messages',
    body: (messages, stream) => ({ model: MODEL, max_tokens: 500, stream, messages }),
    question: (content) => ({ role: 'user', content }),
    turnsOf: ({ content }) => [{ role: 'assistant', content }],
    assemble: (events) => {
      const content: Wire[] = [];
      for (const { type, content_block, delta } of events) {
        if (type === 'content_block_start') content.push({ ...content_block });
        else if (delta?.type === 'text_delta') content.at(-1).text += delta.text;
        else if (delta?.type === 'signature_delta') content.at(-1).signature = delta.signature;
      }
      return { content };
    },
    kinds: ({ content }) => content.map(({ type }: Wire) => type),
  },
  responses: {
    path: '/v1/responses',
    body: (input, stream) => ({ model: MODEL, stream, input, store: false }),
    question: (content) => ({ role: 'user', content }),
    turnsOf: ({ output }) => output,
    assemble: (events) => events.find(({ type }) => type === 'response.completed').response,
    kinds: ({ output }) => output.map(({ type }: Wire) => type),
  },
};
const KINDS: Readonly<Record<string, readonly string[]>> = { messages: ['text'], responses: ['message'] };

describe.each(Object.keys(CLIENTS))('a text that Gemini signs, for a client of %s', (name) => {
  const client = CLIENTS[name] as Client;

  async function ask(turns: readonly Wire[], stream: boolean): Promise<Wire> {
    const answer = await world.post(client.path, client.body(turns, stream));
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
    return stream ? client.assemble(sseData(text)) : JSON.parse(text);
  }

  it.each([
    ['plain', ''],
    ['streamed, on its last words', 'signwords'],
    ['streamed, behind its words', ''],
  ])('is all of the answer, and comes back with its signature: %s', async (form, word) => {
    const stream = form !== 'plain';
    const tag = `${name}-${form}`.replaceAll(/[^a-z]/g, '-');
    const first = client.question(`Say it. [[sim tag=${tag} thinking=20 tokens=12 ${word}]]`);
    const answer = await ask([first], stream);
    expect(client.kinds(answer)).toEqual(KINDS[name]);
    const more = client.question(`And more. [[sim tag=${tag}-more thinking=20 tokens=5]]`);
    await ask([first, ...client.turnsOf(answer), more], stream);
    // A signature that is not on its words would be refused, and the route asked again without any.
    const [second, again] = world.simulator.truth.list(`${tag}-more`);
    expect(again).toBeUndefined();
    const said = world.simulator.truth.find(tag)?.said?.text;
    const body = JSON.parse(String(second === undefined ? '' : world.simulator.truth.body(second)));
    expect(body.contents[1]).toEqual({
      role: 'model',
      parts: [{ text: said, thoughtSignature: expect.any(String) }],
    });
  });

  it('comes without its signature to a history of other words', async () => {
    const tag = `${name}-other`;
    const other = name === 'messages' ? { role: 'assistant', content: 'Other words.' } : undefined;
    const item = { role: 'assistant', content: [{ type: 'output_text', text: 'Other words.' }] };
    const turns = [client.question('q'), other ?? item, client.question(`[[sim tag=${tag} tokens=3]]`)];
    await ask(turns, false);
    const call = world.simulator.truth.find(tag);
    const body = JSON.parse(String(call === undefined ? '' : world.simulator.truth.body(call)));
    expect(body.contents[1].parts).toEqual([{ text: 'Other words.' }]);
  });
});
