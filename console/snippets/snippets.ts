import { claudeCode, codex, geminiCli, opencode } from './clients/agents.ts';
import { aiSdk } from './clients/ai-sdk.ts';
import { anthropic } from './clients/anthropic.ts';
import { curl } from './clients/curl.ts';
import { googleGenai } from './clients/google-genai.ts';
import { openai } from './clients/openai.ts';
import type { SnippetClient, SnippetInput } from './snippet.ts';

export type { Protocol, SnippetRequest } from './request.ts';
export type { SnippetClient } from './snippet.ts';

type Writer = (input: SnippetInput) => SnippetClient | undefined;

const WRITERS: readonly Writer[] = [
  ...[curl, openai, anthropic, googleGenai, aiSdk],
  ...[claudeCode, codex, geminiCli, opencode],
];

/**
 * How each client calls the gateway, ready to run: address and model are filled in, the key comes from
 * `TOLLGATE_KEY`. With a request, only the clients that can send it as it is.
 */
export function snippetsFor(input: SnippetInput): readonly SnippetClient[] {
  return WRITERS.map((write) => write(input)).filter((client) => client !== undefined);
}
