import { prettyJson, shell } from '../literals.ts';
import { helloRequest, pathOf } from '../request.ts';
import type { SnippetClient, SnippetInput } from '../snippet.ts';
import { exportKey, KEY_VARIABLE, terminal } from './terminal.ts';

export function curl(input: SnippetInput): SnippetClient {
  const { baseUrl, model, request = helloRequest('chat', model) } = input;
  const address = baseUrl + pathOf(request, model);
  const lines = [
    exportKey(input),
    `curl ${request.stream ? '-N ' : ''}'${address}' \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    "  -H 'Content-Type: application/json' \\",
    ...(request.protocol === 'messages' ? ["  -H 'anthropic-version: 2023-06-01' \\"] : []),
    `  -d ${shell(prettyJson(request.body))}`,
  ];
  const variants = [{ id: 'curl', label: 'Shell', blocks: [terminal(lines)] }];
  return { id: 'curl', name: 'curl', kind: 'terminal', variants };
}
