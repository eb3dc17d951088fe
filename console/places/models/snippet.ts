import { PASSED } from '../../api/protocols.ts';
import type { CodeSample } from '../../parts/code/code-block.tsx';
import { isEmbedding, isPaidByTokens, type Model } from './catalogue.ts';

/** The input of a call of a model that does nothing else. */
const INPUTS: Readonly<Record<(typeof PASSED)[number], object>> = {
  moderations: { input: 'Hello' },
  rerank: { query: 'Where do boats land?', documents: ['At the pier', 'In the air'] },
  completions: { prompt: 'Once upon a time', max_tokens: 16 },
  speech: { input: 'Hello', voice: 'alloy' },
};

function pathOf(protocol: (typeof PASSED)[number]): string {
  return protocol === 'speech' ? '/v1/audio/speech' : `/v1/${protocol}`;
}

function callOf(model: Model): { readonly path: string; readonly body: object } {
  const { id } = model;
  if (isEmbedding(model)) return { path: '/v1/embeddings', body: { model: id, input: 'Hello' } };
  const only = PASSED.find((name) =>
    model.routes.every(({ protocols }) => protocols.every((each) => each === name)),
  );
  if (only !== undefined) return { path: pathOf(only), body: { model: id, ...INPUTS[only] } };
  return isPaidByTokens(model)
    ? { path: '/v1/chat/completions', body: { model: id, messages: [{ role: 'user', content: 'Hello' }] } }
    : { path: '/v1/images/generations', body: { model: id, prompt: 'A lighthouse at dawn' } };
}

/** A call of the model as one would type it. The key is in the environment, never on the page. */
export function snippetOf(model: Model, base: string): CodeSample {
  const { path, body } = callOf(model);
  // A quote in the name of a model ends no argument of the shell.
  const text = JSON.stringify(body, null, 1).replaceAll(/\n\s*(?=[\]}[{]|"(?:role|content))/g, '');
  const quoted = text.replaceAll("'", "'\\''");
  const code = [
    `curl ${base.replace(/\/+$/, '')}${path} \\`,
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${quoted}'`,
  ].join('\n');
  return { key: 'curl', label: 'curl', language: 'bash', code };
}
