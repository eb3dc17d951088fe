import { javaScript, javaScriptText, pythonArguments } from '../literals.ts';
import { helloRequest, type Protocol, type SnippetRequest } from '../request.ts';
import type { SnippetClient, SnippetInput } from '../snippet.ts';
import { inJavaScript, inPython, KEY_VARIABLE } from './terminal.ts';

interface Call {
  /** The method of the client, the same in both languages. */
  readonly method: string;
  readonly javaScript: { readonly show: string; readonly stream: string };
  readonly python: { readonly show: string; readonly stream: string };
}

const CALLS: { readonly [Name in Protocol]?: Call } = {
  chat: {
    method: 'client.chat.completions.create',
    javaScript: {
      show: 'console.log(answer.choices[0].message.content);',
      stream: "process.stdout.write(part.choices[0]?.delta.content ?? '');",
    },
    python: {
      show: 'print(answer.choices[0].message.content)',
      stream: 'if part.choices:\n        print(part.choices[0].delta.content or "", end="", flush=True)',
    },
  },
  responses: {
    method: 'client.responses.create',
    javaScript: {
      show: 'console.log(answer.output_text);',
      stream: "if (part.type === 'response.output_text.delta') process.stdout.write(part.delta);",
    },
    python: {
      show: 'print(answer.output_text)',
      stream: 'if part.type == "response.output_text.delta":\n        print(part.delta, end="", flush=True)',
    },
  },
  images: {
    method: 'client.images.generate',
    javaScript: {
      show: "import { writeFileSync } from 'node:fs';\nwriteFileSync('picture.png', answer.data[0].b64_json, 'base64');",
      stream: '',
    },
    python: {
      show: 'import base64\nopen("picture.png", "wb").write(base64.b64decode(answer.data[0].b64_json))',
      stream: '',
    },
  },
};

export function openai(input: SnippetInput): SnippetClient | undefined {
  const request = input.request ?? streamed(helloRequest('chat', input.model));
  const call = CALLS[request.protocol];
  if (call === undefined) return undefined;
  const { baseUrl } = input;
  const javaScriptBlocks = inJavaScript(input, 'npm install openai', javaScriptCode(baseUrl, request, call));
  const pythonBlocks = inPython(input, 'pip install openai', pythonCode(baseUrl, request, call));
  return {
    ...{ id: 'openai', name: 'openai', kind: 'library' },
    variants: [
      { id: 'openai-js', label: 'JavaScript', blocks: javaScriptBlocks },
      { id: 'openai-python', label: 'Python', blocks: pythonBlocks },
    ],
  };
}

function streamed(request: SnippetRequest): SnippetRequest {
  const { model = '', ...rest } = request.body;
  return { ...request, stream: true, body: { model, stream: true, ...rest } };
}

function javaScriptCode(baseUrl: string, { body, stream }: SnippetRequest, call: Call): string {
  const head = `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${javaScriptText(`${baseUrl}/v1`)},
  apiKey: process.env.${KEY_VARIABLE},
});
`;
  if (!stream)
    return `${head}const answer = await ${call.method}(${javaScript(body)});\n${call.javaScript.show}`;
  return `${head}const stream = await ${call.method}(${javaScript(body)});
for await (const part of stream) {
  ${call.javaScript.stream}
}
console.log();`;
}

function pythonCode(baseUrl: string, { body, stream }: SnippetRequest, call: Call): string {
  const head = `import os
from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(`${baseUrl}/v1`)},
    api_key=os.environ["${KEY_VARIABLE}"],
)
`;
  if (!stream) return `${head}answer = ${call.method}${pythonArguments(body)}\n${call.python.show}`;
  return `${head}stream = ${call.method}${pythonArguments(body)}
for part in stream:
    ${call.python.stream}
print()`;
}
