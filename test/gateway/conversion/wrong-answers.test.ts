import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall } from '../logged-call.ts';

const CATALOG = STANDARD_CATALOG.replace(
  'models:\n',
  `models:
  - model_id: gemini-or-claude
    prices: { input: "8", output: "60" }
    max_output_tokens: 64000
    routes:
      - { vendor: google, credential: google-main, forward_model_id: gemini-2.5-flash, priority: 1 }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, priority: 2 }
`,
);

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
});
afterAll(() => world.close());

interface Answered {
  readonly status: number;
  readonly text: string;
  /** The connection was reset before the end of the answer. */
  readonly reset: boolean;
  readonly row: LoggedCall;
}

async function ask(path: string, body: object): Promise<Answered> {
  const answer = await world.post(path, body);
  let text = '';
  let reset = false;
  try {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  } catch {
    reset = true;
  }
  const row = await loggedCall(world, answer.headers.get('x-request-id'));
  return { status: answer.status, text, reset, row };
}

const PATHS = { messages: '/v1/messages', chat: '/v1/chat/completions', responses: '/v1/responses' } as const;
type ClientName = keyof typeof PATHS;
const bodyOf = (client: ClientName, model: string, content: string, stream: boolean): object => {
  if (client === 'responses') return { model, stream, input: content, store: false };
  return { model, stream, max_tokens: 500, messages: [{ role: 'user', content }] };
};

describe('a Messages stream in which another answer begins', () => {
  const words = (text: string): number => text.match(/"text_delta"|"content":"[^"]/g)?.length ?? 0;
  const wrong = 'tokens=20 pace=5 fault=second-start@8';

  it.each(['messages', 'chat'] as const)(
    'breaks for a client of %s, and what came is charged',
    async (client) => {
      const { status, text, reset, row } = await ask(
        PATHS[client],
        bodyOf(client, 'claude-sonnet-5', `[[sim ${wrong}]]`, true),
      );
      expect([status, reset]).toEqual([200, true]);
      expect(text).not.toContain('msg_other');
      expect(text).not.toMatch(/message_stop|\[DONE\]/);
      expect(text).toContain('50202');
      expect(row).toMatchObject({ verdict: 'cut-by-upstream', error_code: 50202 });
      expect(words(text)).toBeGreaterThan(0);
      expect(row.output_text).toBe(BigInt(words(text)));
    },
  );

  it.each(['messages', 'chat'] as const)(
    'continues for a client of %s if it is the same one',
    async (client) => {
      const { text, reset, row } = await ask(
        PATHS[client],
        bodyOf(client, 'claude-sonnet-5', '[[sim tokens=6 fault=duplicate@0]]', true),
      );
      expect([words(text), reset]).toEqual([6, false]);
      expect(row).toMatchObject({ verdict: 'complete', output_text: 6n });
    },
  );
});

describe('an answer of Gemini that failed and has no content', () => {
  const REASONS = [
    'MALFORMED_RESPONSE',
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'OTHER',
    'FINISH_REASON_UNSPECIFIED',
    'SOMETHING_NEW',
  ];
  const cases = REASONS.flatMap((reason) => [false, true].map((stream) => ({ reason, stream })));

  it.each(cases)('is an error: $reason, streamed: $stream', async ({ reason, stream }) => {
    for (const client of ['messages', 'chat', 'responses'] as const) {
      const prompt = `[[sim tokens=0 thinking=9 finish=${reason}]]`;
      const answered = await ask(PATHS[client], bodyOf(client, 'gemini-3-pro', prompt, stream));
      expect([client, answered.status]).toEqual([client, 502]);
      expect(JSON.parse(answered.text).error.message).toContain(reason);
      expect(answered.row).toMatchObject({ verdict: 'failed', charge_micro: 0n, output_reasoning: 0n });
    }
  });

  it.each([false, true])('is tried at the next route, streamed: %s', async (stream) => {
    const answer = { directive: 'tokens=0 finish=MALFORMED_RESPONSE' };
    world.simulator.script({ match: { model: 'gemini-2.5-flash' }, answer });
    const answered = await ask(
      PATHS.messages,
      bodyOf('messages', 'gemini-or-claude', '[[sim tokens=7]]', stream),
    );
    expect(answered.status).toBe(200);
    expect(answered.row).toMatchObject({
      verdict: 'complete',
      output_text: 7n,
      attempts: [
        { vendor: 'google', outcome: '502' },
        { vendor: 'anthropic', outcome: 'ok' },
      ],
    });
  });

  it.each([false, true])('but with words it is an answer, streamed: %s', async (stream) => {
    const prompt = '[[sim tokens=5 finish=MALFORMED_RESPONSE]]';
    const answered = await ask(PATHS.chat, bodyOf('chat', 'gemini-3-pro', prompt, stream));
    expect([answered.status, answered.reset]).toEqual([200, false]);
    expect(answered.row).toMatchObject({ verdict: 'complete', output_text: 5n });
  });

  it('breaks a stream that has only shown thoughts', async () => {
    const { text, reset, row } = await ask(PATHS.messages, {
      ...bodyOf(
        'messages',
        'gemini-3-pro',
        '[[sim tokens=0 thinking=9 pace=5 finish=MALFORMED_RESPONSE]]',
        true,
      ),
      thinking: { type: 'adaptive' },
    });
    expect(text).toContain('thinking_delta');
    expect(text).toContain('event: error');
    expect(text).not.toContain('message_stop');
    expect(reset).toBe(true);
    expect(row).toMatchObject({ verdict: 'cut-by-upstream', output_reasoning: 9n });
  });
});

describe('a history in which another model took over', () => {
  const fallback = { type: 'fallback', from: { model: 'claude-opus-5' }, to: { model: 'claude-sonnet-5' } };
  const messages = [
    { role: 'user', content: 'q' },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'half' }, fallback, { type: 'text', text: 'rest' }],
    },
    { role: 'user', content: 'more [[sim tokens=3 tag=took-over]]' },
  ];

  it.each(['gpt-5', 'gemini-3-pro'])('reaches %s without the mark, which is reported', async (model) => {
    const answer = await world.post('/v1/messages', { model, max_tokens: 99, messages });
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
    expect(answer.headers.get('x-tollgate-dropped')).toContain('messages[1].content[1]');
    const call = world.simulator.truth.find('took-over');
    const sent = String(call === undefined ? '' : world.simulator.truth.body(call));
    expect(sent).toMatch(/half.*rest/s);
    expect(sent).not.toContain('fallback');
  });

  it('reaches its own vendor as it is, and a block that may hold content is refused elsewhere', async () => {
    const own = await world.post('/v1/messages', { model: 'claude-sonnet-5', max_tokens: 99, messages });
    expect([own.status, own.headers.get('x-tollgate-dropped')]).toEqual([200, null]);
    await own.arrayBuffer();
    const hologram = [{ role: 'user', content: [{ type: 'hologram', data: 'x' }] }];
    const refused = await world.post('/v1/messages', { model: 'gpt-5', max_tokens: 99, messages: hologram });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 40004 }]);
  });
});
