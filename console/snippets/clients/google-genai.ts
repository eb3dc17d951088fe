import { javaScript, javaScriptText, pythonArguments } from '../literals.ts';
import type { Body, SnippetRequest } from '../request.ts';
import { helloRequest } from '../request.ts';
import type { SnippetClient, SnippetInput } from '../snippet.ts';
import { inJavaScript, inPython, KEY_VARIABLE } from './terminal.ts';

export function googleGenai(input: SnippetInput): SnippetClient | undefined {
  const { request } = input;
  if (request !== undefined && request.protocol !== 'gemini') return undefined;
  const javaScriptBlocks = inJavaScript(input, 'npm install @google/genai', javaScriptCode(input));
  const pythonBlocks = inPython(input, 'pip install google-genai', pythonCode(input));
  return {
    ...{ id: 'google-genai', name: 'google-genai', kind: 'library' },
    variants: [
      { id: 'google-genai-js', label: 'JavaScript', blocks: javaScriptBlocks },
      { id: 'google-genai-python', label: 'Python', blocks: pythonBlocks },
    ],
  };
}

/** The library takes all but the contents in `config`, with the fields of `generationConfig` in it. */
function argumentsOf({ model, request }: SnippetInput): Body {
  if (request === undefined) return { model, contents: 'Say hello' };
  const { contents = [], generationConfig = {}, ...rest } = request.body;
  const config = { ...(generationConfig as Body), ...rest };
  return { model, contents, ...(Object.keys(config).length > 0 && { config }) };
}

function isStream({ model, request }: SnippetInput): boolean {
  const { stream }: SnippetRequest = request ?? helloRequest('gemini', model);
  return stream;
}

function javaScriptCode(input: SnippetInput): string {
  const head = `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: 'unused', // the key goes into the header
  httpOptions: {
    baseUrl: ${javaScriptText(input.baseUrl)},
    headers: { Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` },
  },
});
`;
  const given = javaScript(argumentsOf(input));
  if (!isStream(input)) {
    return `${head}const answer = await client.models.generateContent(${given});\nconsole.log(answer.text);`;
  }
  return `${head}const stream = await client.models.generateContentStream(${given});
for await (const part of stream) process.stdout.write(part.text ?? '');
console.log();`;
}

function pythonCode(input: SnippetInput): string {
  const head = `import os
from google import genai

client = genai.Client(
    api_key="unused",  # the key goes into the header
    http_options={
        "base_url": ${JSON.stringify(input.baseUrl)},
        "headers": {"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}"},
    },
)
`;
  const given = pythonArguments(argumentsOf(input));
  if (!isStream(input)) return `${head}answer = client.models.generate_content${given}\nprint(answer.text)`;
  return `${head}for part in client.models.generate_content_stream${given}:
    print(part.text or "", end="", flush=True)
print()`;
}
