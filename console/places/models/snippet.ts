import type { CodeSample } from '../../parts/code/code-block.tsx';
import { isPaidByTokens, type Model } from './catalogue.ts';

/** A call of the model as one would type it. The key is in the environment, never on the page. */
export function snippetOf(model: Model, base: string): CodeSample {
  const isText = isPaidByTokens(model);
  const body = isText
    ? { model: model.id, messages: [{ role: 'user', content: 'Hello' }] }
    : { model: model.id, prompt: 'A lighthouse at dawn' };
  const path = isText ? '/v1/chat/completions' : '/v1/images/generations';
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
