/** Programs for the terminal that work by themselves. They choose their requests, so they take none. */
import { prettyJson, shell } from '../literals.ts';
import type { SnippetBlock, SnippetClient, SnippetInput } from '../snippet.ts';
import { exportKey, KEY_VARIABLE, terminal } from './terminal.ts';

function agent(id: string, name: string, blocks: readonly SnippetBlock[]): SnippetClient {
  return { id, name, kind: 'terminal', variants: [{ id, label: 'Shell', blocks }] };
}

export function claudeCode(input: SnippetInput): SnippetClient | undefined {
  if (input.request !== undefined) return undefined;
  const model = shell(input.model);
  return agent('claude-code', 'Claude Code', [
    terminal([
      'npm install -g @anthropic-ai/claude-code',
      exportKey(input),
      `export ANTHROPIC_BASE_URL=${shell(input.baseUrl)}`,
      `export ANTHROPIC_AUTH_TOKEN=$${KEY_VARIABLE}`,
      `export ANTHROPIC_MODEL=${model}`,
      '# for its small side calls',
      `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}`,
      'claude -p "Say hello"',
    ]),
  ]);
}

export function codex(input: SnippetInput): SnippetClient | undefined {
  if (input.request !== undefined) return undefined;
  const settings = `model = ${JSON.stringify(input.model)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${JSON.stringify(`${input.baseUrl}/v1`)}
env_key = "${KEY_VARIABLE}"
wire_api = "responses"`;
  return agent('codex', 'Codex', [
    { place: '~/.codex/config.toml', language: 'ini', code: settings },
    terminal([
      'npm install -g @openai/codex',
      exportKey(input),
      'codex exec --skip-git-repo-check "Say hello"',
    ]),
  ]);
}

export function geminiCli(input: SnippetInput): SnippetClient | undefined {
  if (input.request !== undefined) return undefined;
  // With another address it would choose a way to sign in that it then refuses.
  const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
  return agent('gemini-cli', 'Gemini CLI', [
    { place: '~/.gemini/settings.json', language: 'json', code: prettyJson(settings) },
    terminal([
      'npm install -g @google/gemini-cli',
      exportKey(input),
      `export GOOGLE_GEMINI_BASE_URL=${shell(input.baseUrl)}`,
      `export GEMINI_API_KEY=$${KEY_VARIABLE}`,
      'export GEMINI_API_KEY_AUTH_MECHANISM=bearer',
      `gemini --skip-trust -m ${shell(input.model)} -p "Say hello"`,
    ]),
  ]);
}

export function opencode(input: SnippetInput): SnippetClient | undefined {
  if (input.request !== undefined) return undefined;
  const settings = {
    $schema: 'https://opencode.ai/config.json',
    model: `tollgate/${input.model}`,
    small_model: `tollgate/${input.model}`,
    provider: {
      tollgate: {
        name: 'Tollgate',
        npm: '@ai-sdk/openai',
        options: { baseURL: `${input.baseUrl}/v1`, apiKey: `{env:${KEY_VARIABLE}}` },
        models: { [input.model]: { name: input.model } },
      },
    },
  };
  return agent('opencode', 'opencode', [
    { place: 'opencode.json', language: 'json', code: prettyJson(settings) },
    terminal(['npm install -g opencode-ai', exportKey(input), 'opencode run "Say hello"']),
  ]);
}
