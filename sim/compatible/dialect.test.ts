import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import type { Quirks } from './quirks.ts';

const HEADERS = { authorization: 'Bearer sk-sim-openai', 'content-type': 'application/json' };

async function ask(simulator: Simulator, fields: object, content = '[[sim tokens=3 thinking=2]]') {
  const body = { model: 'one', messages: [{ role: 'user', content }], ...fields };
  const answer = await fetch(`${simulator.url}/any/base/chat/completions`, {
    ...{ method: 'POST', headers: HEADERS, body: JSON.stringify(body) },
  });
  return { status: answer.status, text: await answer.text() };
}

function withQuirks(quirks: Omit<Quirks, 'models'>, check: (started: () => Simulator) => void): void {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({ compatible: { models: ['one'], ...quirks } });
  });
  afterAll(() => simulator.close());
  check(() => simulator);
}

describe('a vendor that imitates OpenAI', () => {
  withQuirks({ reasoning: 'reasoning_content' }, (started) => {
    it('has its own models at any path, and no others', async () => {
      const listed = await fetch(`${started().url}/any/base/models`, { headers: HEADERS });
      expect(await listed.json()).toMatchObject({ data: [{ id: 'one' }] });
      expect((await ask(started(), { model: 'gpt-5' })).status).toBe(404);
    });

    it('shows its thinking in a field of its own, and its usage when it is asked', async () => {
      const plain = JSON.parse((await ask(started(), {})).text);
      expect(plain.choices[0].message.reasoning_content.split(' ')).toHaveLength(2);
      expect(plain.usage.completion_tokens).toBe(5);
      const silent = await ask(started(), { stream: true });
      expect(silent.text).toMatch(/reasoning_content[\s\S]*\[DONE\]\n\n$/);
      expect(silent.text).not.toContain('"usage"');
      const asked = await ask(started(), { stream: true, stream_options: { include_usage: true } });
      expect(asked.text).toContain('"choices":[],"usage":{"prompt_tokens"');
    });
  });
});

describe('one that refuses much', () => {
  withQuirks({ refuses: ['unknown_fields', 'developer_role', 'logit_bias'] }, (started) => {
    it.each([
      [{ max_completion_tokens: 5 }, 422],
      [{ logit_bias: {} }, 400],
      [{ messages: [{ role: 'developer', content: 'Be short.' }] }, 400],
      [{ max_tokens: 5, temperature: 0 }, 200],
    ])('answers %j with %i', async (fields, status) => {
      expect((await ask(started(), fields)).status).toBe(status);
    });
  });
});

describe('one whose streams are unusual', () => {
  withQuirks({ streamUsage: 'always', streamEnd: 'none', reasoning: 'think_tags' }, (started) => {
    it('has usage in its last event, tags around its thinking, and no terminator', async () => {
      const { text } = await ask(started(), { stream: true });
      expect(text).toContain('<think>');
      expect(text).not.toContain('[DONE]');
      expect(text.trimEnd().split('\n').at(-1)).toMatch(/"finish_reason":"stop"\}\],"usage":/);
    });
  });
});

describe('one with comments', () => {
  withQuirks({ streamUsage: 'choice', streamComments: true, reasoning: 'reasoning' }, (started) => {
    it('sends them before its first event, and usage inside the last choice', async () => {
      const { text } = await ask(started(), { stream: true });
      expect(text).toMatch(/^: PROCESSING\n\n/);
      expect(text).toMatch(/"finish_reason":"stop","usage":\{"prompt_tokens"/);
      expect(text).toContain('"reasoning":');
    });
  });
});
