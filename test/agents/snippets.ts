import { join } from 'node:path';
import { snippetsFor } from '../../console/snippets/snippets.ts';
import { runSnippet } from '../support/snippets/run-snippet.ts';
import { startWorld } from '../support/world.ts';

/** The snippets of the console that need an installation, and the model that each is shown with. */
const SLOW: Readonly<Record<string, string>> = {
  'claude-code': 'claude-sonnet-5',
  codex: 'gpt-5',
  'gemini-cli': 'gemini-3-pro',
  opencode: 'gpt-5',
  'openai-python': 'gpt-5',
  'anthropic-python': 'claude-sonnet-5',
  'google-genai-python': 'gemini-3-pro',
};

const SNIPPET_MS_MAX = 180_000;
const SHOWN_CHARACTERS = 1_500;

/** Only for machines without a network: they would else ask for news, and wait. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
};

/** Runs each as the console shows it, with the key filled in. True if all have printed an answer. */
export async function runSnippets(programs: readonly string[], interrupted: AbortSignal): Promise<boolean> {
  const world = await startWorld();
  let isGood = true;
  try {
    for (const [id, model] of Object.entries(SLOW)) {
      if (interrupted.aborted) return false;
      const clients = snippetsFor({ baseUrl: world.url, model, key: world.key });
      const found = clients.flatMap(({ variants }) => variants).find((variant) => variant.id === id);
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(SNIPPET_MS_MAX)]);
      const began = performance.now();
      const ended = await runSnippet(found?.blocks ?? [], { programs, environment: QUIET, signal });
      const works = ended.exitCode === 0 && ended.printed.trim() !== '';
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      console.log(`snippet ${id.padEnd(20)} ${works ? 'ok' : 'FAILED'} ${seconds} s`);
      if (!works) console.log(`${ended.printed}\n${ended.complained}`.slice(-SHOWN_CHARACTERS));
      isGood &&= works;
    }
    return isGood;
  } finally {
    await world.close();
  }
}

/** Where Python's libraries are installed, within what is never committed. */
export const PYTHON = join(import.meta.dirname, 'node_modules', '.python');
