import { describe, expect, test } from 'vitest';
import { type SnippetClient, type SnippetRequest, snippetsFor } from './snippets.ts';

const INPUT = { baseUrl: 'https://gate.example.com', model: 'claude-sonnet-5' };

function textOf(clients: readonly SnippetClient[]): string {
  return clients
    .flatMap(({ variants }) => variants.flatMap(({ blocks }) => blocks.map(({ code }) => code)))
    .join('\n');
}

describe('snippets', () => {
  test('every client is there, with an address, a model and a key from the environment', () => {
    const clients = snippetsFor(INPUT);
    expect(clients.map(({ name }) => name)).toEqual([
      ...['curl', 'openai', 'anthropic', 'google-genai', 'AI SDK', 'Claude Code', 'Codex', 'Gemini CLI'],
      'opencode',
    ]);
    for (const { variants } of clients) {
      for (const { blocks } of variants) {
        const all = blocks.map(({ code }) => code).join('\n');
        expect(all).toContain('https://gate.example.com');
        expect(all).toContain('claude-sonnet-5');
        expect(all).toContain('TOLLGATE_KEY');
      }
    }
  });

  test('the key stands once in each, in the line that sets it', () => {
    for (const { variants } of snippetsFor({ ...INPUT, key: 'tg-0a1b2c3d' })) {
      for (const { blocks } of variants) {
        const all = blocks.map(({ code }) => code).join('\n');
        expect(all.split('tg-0a1b2c3d')).toHaveLength(2);
        expect(all).toContain('export TOLLGATE_KEY=tg-0a1b2c3d');
      }
    }
  });

  test('names with quotes do not leave their quotes', () => {
    const model = `it's "x" $(id) \`id\``;
    const text = textOf(snippetsFor({ ...INPUT, model }));
    expect(text).toContain(`'it\\'s "x" $(id) \`id\`'`);
    expect(text).toContain(`export ANTHROPIC_MODEL='it'\\''s "x" $(id) \`id\`'`);
    expect(text).toContain('model="it\'s \\"x\\" $(id) `id`"');
  });

  test('a given request is shown by the clients that can send it as it is', () => {
    const messages = [{ role: 'user', content: 'Why?' }];
    const body = { model: 'm', max_tokens: 9, temperature: 0.2, stream: true, messages };
    const request: SnippetRequest = { protocol: 'messages', stream: true, body };
    const clients = snippetsFor({ ...INPUT, model: 'm', request });
    expect(clients.map(({ id }) => id)).toEqual(['curl', 'anthropic', 'ai-sdk']);
    expect(textOf(clients)).toContain("{ role: 'user', content: 'Why?' }");
    expect(textOf(clients)).toContain('maxOutputTokens: 9');
    const tools = [{ name: 'clock', input_schema: { type: 'object' } }];
    const withTools: SnippetRequest = { ...request, body: { ...body, tools } };
    expect(snippetsFor({ ...INPUT, request: withTools }).map(({ id }) => id)).toEqual(['curl', 'anthropic']);
  });

  test('generateContent keeps its settings in config, and its model in the path', () => {
    const contents = [{ role: 'user', parts: [{ text: 'Why?' }] }];
    const generationConfig = { temperature: 0, maxOutputTokens: 5 };
    const request: SnippetRequest = {
      protocol: 'gemini',
      stream: true,
      body: { contents, generationConfig },
    };
    const text = textOf(snippetsFor({ ...INPUT, model: 'g/1', request }));
    expect(text).toContain('/v1beta/models/g%2F1:streamGenerateContent?alt=sse');
    expect(text).toContain('config: { temperature: 0, maxOutputTokens: 5 }');
  });
});
