import { javaScript, javaScriptText, pythonArguments } from '../literals.ts';
import { helloRequest, type SnippetRequest } from '../request.ts';
import type { SnippetClient, SnippetInput } from '../snippet.ts';
import { inJavaScript, inPython, KEY_VARIABLE } from './terminal.ts';

export function anthropic(input: SnippetInput): SnippetClient | undefined {
  const { baseUrl, model, request = helloRequest('messages', model) } = input;
  if (request.protocol !== 'messages') return undefined;
  const install = { npm: 'npm install @anthropic-ai/sdk', pip: 'pip install anthropic' };
  const javaScriptBlocks = inJavaScript(input, install.npm, javaScriptCode(baseUrl, request));
  const pythonBlocks = inPython(input, install.pip, pythonCode(baseUrl, request));
  return {
    ...{ id: 'anthropic', name: 'anthropic', kind: 'library' },
    variants: [
      { id: 'anthropic-js', label: 'JavaScript', blocks: javaScriptBlocks },
      { id: 'anthropic-python', label: 'Python', blocks: pythonBlocks },
    ],
  };
}

function javaScriptCode(baseUrl: string, { body, stream }: SnippetRequest): string {
  const head = `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${javaScriptText(baseUrl)},
  authToken: process.env.${KEY_VARIABLE}, // a bearer token, not x-api-key
});
`;
  if (!stream) {
    return `${head}const answer = await client.messages.create(${javaScript(body)});
for (const block of answer.content) {
  if (block.type === 'text') console.log(block.text);
}`;
  }
  return `${head}const stream = await client.messages.create(${javaScript(body)});
for await (const part of stream) {
  if (part.type === 'content_block_delta') process.stdout.write(part.delta.text ?? '');
}
console.log();`;
}

function pythonCode(baseUrl: string, { body, stream }: SnippetRequest): string {
  const head = `import os
from anthropic import Anthropic

client = Anthropic(
    base_url=${JSON.stringify(baseUrl)},
    auth_token=os.environ["${KEY_VARIABLE}"],  # a bearer token, not x-api-key
)
`;
  if (!stream) {
    return `${head}answer = client.messages.create${pythonArguments(body)}
for block in answer.content:
    if block.type == "text":
        print(block.text)`;
  }
  return `${head}stream = client.messages.create${pythonArguments(body)}
for part in stream:
    if part.type == "content_block_delta" and part.delta.type == "text_delta":
        print(part.delta.text, end="", flush=True)
print()`;
}
