import { describe, expect, it } from 'vitest';
import type { Json } from '../../../sim/request/json.ts';
import { isRefusal } from '../../../src/kernel/errors.ts';
import { returnOwnSignatures } from '../../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { PROTOCOLS } from '../recorded/load.ts';
import { callOf, passStream, rawRequest, targetOf } from '../recorded/pass.ts';
import { refusedBySimulator } from '../specs/simulator.ts';
import { CLIENTS, converted, MODELS, type Wire } from './searches.ts';

describe('an answer with a web search', () => {
  const use = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'the query' },
  };
  const page = {
    type: 'web_search_result',
    url: 'https://a.example',
    title: 'A',
    encrypted_content: 'E',
    page_age: null,
  };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] };
  const citation = {
    ...{ type: 'web_search_result_location', url: 'https://a.example', title: 'A' },
    ...{ cited_text: 'c', encrypted_index: 'E' },
  };
  const text = { type: 'text', text: 'It is so.', citations: [citation] };
  const answer = {
    ...{
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'end_turn',
      stop_sequence: null,
    },
    ...{
      content: [use, found, text],
      usage: { input_tokens: 3, output_tokens: 4, server_tool_use: { web_search_requests: 2 } },
    },
  };
  const plain = (client: TextProtocol): Wire =>
    JSON.parse(String(callOf(client, 'messages').convertAnswer(Buffer.from(JSON.stringify(answer)))));
  const events = [
    { type: 'message_start', message: { ...answer, content: [] } },
    { type: 'content_block_start', index: 0, content_block: use },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: found },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'citations_delta', citation } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'It is so.' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
  const stream = Buffer.from(
    events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''),
  );
  const streamed = (client: TextProtocol): string =>
    passStream({ client, vendor: 'messages' }, stream, []).text;

  it('is counted in tokens, not in searches', () => {
    expect(plain('chat').usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  });

  it('has the text and the page for a Chat client, and nothing of the search', () => {
    expect(plain('chat').choices[0].message).toMatchObject({
      content: 'It is so.',
      annotations: [{ url_citation: { url: 'https://a.example', start_index: 0, end_index: 9 } }],
    });
    expect(streamed('chat')).toContain('"content":"It is so."');
    expect(streamed('chat')).not.toContain('the query');
  });

  it('has the search as an item for a Responses client', () => {
    const item = {
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'the query' },
    };
    expect(plain('responses').output).toMatchObject([item, { content: [{ text: 'It is so.' }] }]);
    const last =
      streamed('responses')
        .split('\n')
        .findLast((line) => line.startsWith('data: ')) ?? '';
    expect(JSON.parse(last.slice(6)).response.output).toMatchObject([
      item,
      { content: [{ text: 'It is so.' }] },
    ]);
  });

  it('has the search queries for a Google client', () => {
    const grounding = {
      webSearchQueries: ['the query'],
      groundingChunks: [{ web: { uri: 'https://a.example' } }],
      groundingSupports: [{ segment: { endIndex: 9, text: 'It is so.' }, groundingChunkIndices: [0] }],
    };
    expect(plain('gemini').candidates[0].groundingMetadata.groundingSupports[0].segment).not.toHaveProperty(
      'partIndex',
    );
    expect(plain('gemini').candidates[0]).toMatchObject({
      content: { parts: [{ text: 'It is so.' }] },
      groundingMetadata: grounding,
    });
    const last =
      streamed('gemini')
        .split('\n')
        .findLast((line) => line.startsWith('data: ')) ?? '';
    expect(JSON.parse(last.slice(6)).candidates[0].groundingMetadata).toMatchObject(grounding);
  });
});

const lastData = (stream: string): Wire =>
  JSON.parse((stream.split('\n').findLast((line) => line.startsWith('data: ')) ?? '').slice(6));

const sse = (events: readonly Wire[]): Buffer =>
  Buffer.from(
    events
      .map((one) => `${one.type === undefined ? '' : `event: ${one.type}\n`}data: ${JSON.stringify(one)}\n\n`)
      .join(''),
  );

/** The same search, as OpenAI and Google tell of it. */
const searchCall = {
  ...{ id: 'ws_1', type: 'web_search_call', status: 'completed' },
  action: {
    ...{ type: 'search', query: 'the query', queries: ['the query'] },
    sources: [{ type: 'url', url: 'https://a.example' }],
  },
};
const said = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: 'It is so.', annotations: [] }],
};
const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'm' };
const grounded = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'It is so.' }] },
      finishReason: 'STOP',
      groundingMetadata: {
        webSearchQueries: ['the query'],
        groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};
const ANSWERS: Readonly<Record<'responses' | 'gemini', { plain: object; stream: Buffer }>> = {
  responses: {
    plain: { ...response, output: [searchCall, said] },
    stream: sse([
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'ws_1', type: 'web_search_call', status: 'in_progress' },
      },
      { type: 'response.web_search_call.in_progress', output_index: 0, item_id: 'ws_1' },
      { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
      { type: 'response.web_search_call.completed', output_index: 0, item_id: 'ws_1' },
      { type: 'response.output_item.done', output_index: 0, item: searchCall },
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: { ...said, content: [], status: 'in_progress' },
      },
      { type: 'response.output_item.done', output_index: 1, item: said },
      { type: 'response.completed', response: { ...response, output: [searchCall, said] } },
    ]),
  },
  gemini: { plain: grounded, stream: sse([grounded as object]) },
};

function plainOf(vendor: 'responses' | 'gemini', client: TextProtocol): Wire {
  const body = Buffer.from(JSON.stringify(ANSWERS[vendor].plain));
  return JSON.parse(String(callOf(client, vendor).convertAnswer(body)));
}

function streamOf(vendor: 'responses' | 'gemini', client: TextProtocol): string {
  return passStream({ client, vendor }, ANSWERS[vendor].stream, []).text;
}

describe.each(['responses', 'gemini'] as const)('a web search of a %s vendor', (vendor) => {
  const plain = (client: TextProtocol): Wire => plainOf(vendor, client);
  const streamed = (client: TextProtocol): string => streamOf(vendor, client);
  const use = { type: 'server_tool_use', name: 'web_search', input: { query: 'the query' } };
  const result = {
    type: 'web_search_tool_result',
    content: [{ type: 'web_search_result', url: 'https://a.example' }],
  };

  it('is a pair of blocks for a Messages client, which needs no result', () => {
    const { content, stop_reason } = plain('messages');
    expect(content).toMatchObject([use, result, { type: 'text', text: 'It is so.' }]);
    expect(content[0].id).toBe(content[1].tool_use_id);
    expect(stop_reason).toBe('end_turn');
    const stream = streamed('messages');
    expect(stream).toContain('"type":"server_tool_use"');
    expect(stream).toContain(JSON.stringify(JSON.stringify(use.input)));
    expect(stream).toContain('"type":"web_search_tool_result"');
    expect(stream).not.toContain('"type":"tool_use"');
    expect(stream).toContain('"stop_reason":"end_turn"');
  });

  it('does not break the next turn with any vendor', async () => {
    const { content } = plain('messages');
    const body = {
      ...CLIENTS.messages,
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content },
        { role: 'user', content: 'and?' },
      ],
    };
    for (const next of PROTOCOLS.filter((one) => one !== 'messages')) {
      const sent = JSON.parse(converted('messages', body, next, MODELS[next]).body.toString());
      expect(refusedBySimulator(next, MODELS[next], sent)).toBeUndefined();
      expect(JSON.stringify(sent)).not.toContain('tollgate.blobs');
    }
    const own = await returnOwnSignatures(
      'messages',
      rawRequest('messages', body, false),
      targetOf('messages', 'm'),
    );
    if (isRefusal(own)) throw new Error(own.message);
    const back = JSON.parse(own.body.toString());
    expect(back.messages[1].content).toMatchObject([{ type: 'text', text: 'It is so.' }]);
    expect(refusedBySimulator('messages', MODELS.messages, body as unknown as Json)).toContain('encrypted');
    expect(refusedBySimulator('messages', MODELS.messages, back)).toBeUndefined();
  });

  it('leaves only the text for a Chat client', () => {
    expect(plain('chat').choices[0]).toMatchObject({
      message: { content: 'It is so.' },
      finish_reason: 'stop',
    });
    expect(plain('chat').choices[0].message).not.toHaveProperty('tool_calls');
    expect(streamed('chat')).not.toMatch(/tool_calls":\[|the query/);
  });
});

describe('a web search of another vendor', () => {
  it('is an item for a Responses client', () => {
    const sources = [{ type: 'url', url: 'https://a.example' }];
    const item = { type: 'web_search_call', status: 'completed', action: { query: 'the query', sources } };
    const words = { type: 'message', content: [{ text: 'It is so.' }] };
    expect(plainOf('gemini', 'responses').output).toMatchObject([item, words]);
    expect(lastData(streamOf('gemini', 'responses')).response.output).toMatchObject([words, item]);
  });

  it('is beside the answer for a Google client', () => {
    const groundingMetadata = { webSearchQueries: ['the query'] };
    const told = { content: { parts: [{ text: 'It is so.' }] }, groundingMetadata };
    expect(plainOf('responses', 'gemini').candidates).toMatchObject([told]);
    expect(lastData(streamOf('responses', 'gemini')).candidates).toMatchObject([{ groundingMetadata }]);
  });
});

describe('a history with web searches', () => {
  const found = {
    type: 'web_search_result',
    url: 'https://a.example',
    title: 'A',
    encrypted_content: 'RW5j',
  };
  const HISTORIES: Readonly<Record<'messages' | 'responses', object>> = {
    messages: {
      ...CLIENTS.messages,
      messages: [
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'the query' } },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
            { type: 'text', text: 'It is so.' },
          ],
        },
        { role: 'user', content: 'and?' },
      ],
    },
    responses: {
      model: 'm',
      input: [
        { role: 'user', content: 'q' },
        searchCall,
        said,
        { id: 'ws_2', type: 'web_search_call', status: 'completed', action: { type: 'open_page' } },
        { role: 'user', content: 'and?' },
      ],
    },
  };

  it.each(
    [
      ...PROTOCOLS.map((vendor) => ({ client: 'messages' as const, vendor })),
      ...PROTOCOLS.map((vendor) => ({ client: 'responses' as const, vendor })),
    ].filter(({ client, vendor }) => client !== vendor),
  )('of $client is accepted by $vendor, without an unanswered call', ({ client, vendor }) => {
    const sent = JSON.parse(
      converted(client, HISTORIES[client], vendor, MODELS[vendor]).body.toString(),
    ) as Json;
    expect(refusedBySimulator(vendor, MODELS[vendor], sent)).toBeUndefined();
    expect(JSON.stringify(sent)).toContain('It is so.');
    expect(JSON.stringify(sent)).not.toMatch(/"tool_calls"|"function_call"|"tool_use"|"functionCall"/);
  });
});
