import OpenAI, { APIError } from 'openai';
import type { Ask, ClientMaker, Mode, Reply } from './client.ts';
import { withoutParsed } from './openai-chat-client.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Answer = OpenAI.Responses.Response;

export const openaiResponses: ClientMaker = ({ url, key, fetch }) => {
  const sdk = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, fetch });
  return {
    form: 'responses',
    ask: async (ask, mode) => readResponse(await respond(sdk, ask, mode)),
    showsReasoning: () => true,
    statusOf: (error) => (error instanceof APIError ? error.status : undefined),
  };
};

async function respond(sdk: OpenAI, ask: Ask, mode: Mode): Promise<Answer> {
  const body = requestOf(ask);
  const options = { signal: ask.signal ?? null };
  if (mode === 'plain') {
    return ask.schema === undefined
      ? sdk.responses.create(body, options)
      : sdk.responses.parse(body, options);
  }
  const stream = sdk.responses.stream({ ...body, stream: true }, options);
  stream.on('response.output_text.delta', () => ask.onText?.());
  return await stream.finalResponse();
}

function requestOf(ask: Ask): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  const content: OpenAI.Responses.ResponseInputContent[] = [{ type: 'input_text', text: ask.prompt }];
  if (ask.image !== undefined) {
    const image_url = `data:image/png;base64,${ask.image}`;
    content.unshift({ type: 'input_image', image_url, detail: 'auto' });
  }
  const input: Item[] = [{ role: 'user', content }];
  for (const { turn, results, next } of ask.rounds ?? []) {
    input.push(...(turn as Item[]));
    for (const { id, text } of results) {
      input.push({ type: 'function_call_output', call_id: id, output: text });
    }
    if (next !== undefined) input.push({ role: 'user', content: next });
  }
  return {
    model: ask.model,
    input,
    store: false,
    ...(ask.system === undefined ? {} : { instructions: ask.system }),
    ...(ask.tools === undefined
      ? {}
      : {
          tools: ask.tools.map(({ name, description, schema }) => ({
            type: 'function' as const,
            name,
            description,
            parameters: { ...schema },
            strict: true,
          })),
        }),
    ...(ask.thinking === undefined
      ? {}
      : {
          reasoning: { effort: 'medium' as const, summary: 'auto' as const },
          include: ['reasoning.encrypted_content' as const],
        }),
    ...(ask.maxTokens === undefined ? {} : { max_output_tokens: ask.maxTokens }),
    ...(ask.schema === undefined
      ? {}
      : {
          text: {
            format: {
              type: 'json_schema' as const,
              name: 'weather',
              strict: true,
              schema: { ...ask.schema },
            },
          },
        }),
  };
}

function readResponse(answer: Answer): Reply {
  const { output } = answer;
  const calls = output.filter((item) => item.type === 'function_call');
  const contents = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const reason = answer.incomplete_details?.reason;
  return {
    text: answer.output_text,
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
      .join('\n\n'),
    refusal: contents.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
    calls: calls.map((call) => ({
      id: call.call_id,
      name: call.name,
      input: JSON.parse(call.arguments),
    })),
    finish: reason === undefined ? String(answer.status) : `${answer.status}: ${reason}`,
    usage: answer.usage,
    turn: withoutParsed(output),
    object: (answer as { output_parsed?: unknown }).output_parsed ?? undefined,
  };
}
