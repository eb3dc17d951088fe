import { PASSED, type Protocol } from '../../api/protocols.ts';
import type { CodeSample } from '../../parts/code/code-block.tsx';
import { isEmbedding, isPaidByTokens, type Model } from './catalogue.ts';

/** The input of a call of a model that does nothing else. */
const INPUTS: Readonly<Record<(typeof PASSED)[number], object>> = {
  moderations: { input: 'Hello' },
  rerank: { query: 'Where do boats land?', documents: ['At the pier', 'In the air'] },
  completions: { prompt: 'Once upon a time', max_tokens: 16 },
  speech: { input: 'Hello', voice: 'alloy' },
  videos: { prompt: 'A lighthouse at dawn' },
};

function pathOf(protocol: (typeof PASSED)[number]): string {
  return protocol === 'speech' ? '/v1/audio/speech' : `/v1/${protocol}`;
}

function doesOnly({ routes }: Model, protocol: Protocol): boolean {
  return routes.every(({ protocols }) => protocols.every((each) => each === protocol));
}

function callOf(model: Model): { readonly path: string; readonly body: object } {
  const { id } = model;
  if (isEmbedding(model)) return { path: '/v1/embeddings', body: { model: id, input: 'Hello' } };
  const only = PASSED.find((name) => doesOnly(model, name));
  if (only !== undefined) return { path: pathOf(only), body: { model: id, ...INPUTS[only] } };
  return isPaidByTokens(model)
    ? { path: '/v1/chat/completions', body: { model: id, messages: [{ role: 'user', content: 'Hello' }] } }
    : { path: '/v1/images/generations', body: { model: id, prompt: 'A lighthouse at dawn' } };
}

/** A call of the model as one would type it. The key is in the environment, never on the page. */
export function snippetOf(model: Model, base: string): CodeSample {
  const lines = doesOnly(model, 'transcriptions') ? formOf(model) : jsonOf(model);
  const code = `curl ${base.replace(/\/+$/, '')}${lines.join(' \\\n')}`;
  return { key: 'curl', label: 'curl', language: 'bash', code };
}

const KEY = '  -H "Authorization: Bearer $TOLLGATE_KEY"';

function jsonOf(model: Model): readonly string[] {
  const { path, body } = callOf(model);
  const text = JSON.stringify(body, null, 1).replaceAll(/\n\s*(?=[\]}[{]|"(?:role|content))/g, '');
  return [path, KEY, '  -H "Content-Type: application/json"', `  -d '${quoted(text)}'`];
}

/** Sound is sent as a file. */
function formOf({ id }: Model): readonly string[] {
  return ['/v1/audio/transcriptions', KEY, `  -F 'model=${quoted(id)}'`, "  -F 'file=@sound.mp3'"];
}

/** A quote in the name of a model ends no argument of the shell. */
function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
