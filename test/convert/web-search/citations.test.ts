import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/kernel/errors.ts';
import { getCodec } from '../../../src/protocol/convert/codecs.ts';
import {
  convertRequest,
  readClientRequest,
  returnOwnSignatures,
} from '../../../src/protocol/convert/convert.ts';
import type { HubAnswer } from '../../../src/protocol/hub/answer.ts';
import type { Session } from '../../../src/protocol/hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../../../src/protocol/hub/content/json.ts';
import type { HubEvent } from '../../../src/protocol/hub/event.ts';
import type { Citation, Part } from '../../../src/protocol/hub/part.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { decodeWhole, openDecoder } from '../../../src/protocol/suite/reported.ts';
import { someRequest, someTarget, someUsage } from '../../support/hub.ts';
import { PROTOCOLS } from '../recorded/load.ts';
import { callOf, IDENTITY, passStream, rawRequest } from '../recorded/pass.ts';

const PAIRS = PROTOCOLS.flatMap((vendor) =>
  PROTOCOLS.filter((client) => client !== vendor).map((client) => ({ vendor, client })),
);

/** Characters of two bytes and of two units: vendors count in both. */
const TEXT = 'Grün 😀 is a colour.';
const CITATION: Citation = { url: 'https://a.example/b', title: 'A', start: 0, end: TEXT.length };
const FINISH = { reason: 'stop' } as const;
const ANSWER: HubAnswer = {
  id: 'x',
  choices: [{ parts: [{ kind: 'text', text: TEXT, citations: [CITATION] }], finish: FINISH }],
  usage: someUsage(),
  serviceTier: undefined,
};
const EVENTS: readonly HubEvent[] = [
  { kind: 'start', id: 'x', usage: undefined },
  { kind: 'part', choice: 0, head: { kind: 'text' } },
  { kind: 'delta', choice: 0, text: TEXT.slice(0, 6) },
  { kind: 'delta', choice: 0, text: TEXT.slice(6) },
  { kind: 'citation', choice: 0, citation: CITATION },
  { kind: 'part-end', choice: 0 },
  { kind: 'usage', usage: someUsage() },
  { kind: 'finish', choice: 0, finish: FINISH },
  { kind: 'end' },
];

/** What either side of a conversion writes and reads itself. */
function sessionOf(protocol: TextProtocol): Session {
  const request = someRequest({ client: protocol, stream: true, includeUsage: true });
  return { request, target: someTarget({ protocol }), ...IDENTITY };
}

function readAnswer(client: TextProtocol, body: string): readonly Part[] {
  const json = readJson(body, getCodec(client).rawKeys) as JsonObject;
  const answer = decodeWhole(getCodec(client), json, sessionOf(client));
  if (!('choices' in answer)) throw new Error(answer.message);
  return answer.choices[0]?.parts ?? [];
}

function citationsOfStream(client: TextProtocol, text: string): readonly Citation[] {
  const found: Citation[] = [];
  const decoder = openDecoder(getCodec(client), sessionOf(client), (event) => {
    if (event.kind === 'citation') found.push(event.citation);
  });
  for (const line of text.split('\n')) {
    if (line.startsWith('data: {')) decoder.push(JSON.parse(line.slice('data: '.length)));
  }
  decoder.finish();
  return found;
}

const wanted = expect.objectContaining({ ...CITATION });

describe('a cited page', () => {
  it.each(PAIRS)('of $vendor vendors reaches $client clients, plain and streamed', (pair) => {
    const { vendor, client } = pair;
    const native = writeJson(getCodec(vendor).encodeAnswer(ANSWER, sessionOf(vendor)));
    const plain = callOf(client, vendor).convertAnswer(Buffer.from(native)) as Buffer;
    const [part] = readAnswer(client, plain.toString());
    expect(part).toMatchObject({ kind: 'text', text: TEXT, citations: [wanted] });
    const encoder = getCodec(vendor).createEncoder(sessionOf(vendor), 'sse');
    for (const event of EVENTS) encoder.push(event);
    const passed = passStream(pair, Buffer.from(encoder.take()), []);
    expect(passed.complete).toBe(true);
    expect(citationsOfStream(client, passed.text)).toEqual([wanted]);
  });
});

describe('a cited page of an earlier answer', () => {
  const url_citation = { url: CITATION.url, title: 'A', start_index: 0, end_index: TEXT.length };
  const histories: Readonly<Partial<Record<TextProtocol, object>>> = {
    chat: {
      model: 'm',
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: TEXT, annotations: [{ type: 'url_citation', url_citation }] },
        { role: 'user', content: 'more' },
      ],
    },
    messages: {
      model: 'm',
      max_tokens: 99,
      messages: [
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            {
              type: 'text',
              text: TEXT,
              citations: [
                {
                  type: 'web_search_result_location',
                  url: CITATION.url,
                  title: 'A',
                  cited_text: 'c',
                  encrypted_index: 'e',
                },
              ],
            },
          ],
        },
        { role: 'user', content: 'more' },
      ],
    },
  };
  it.each(['chat', 'messages'] as const)('of %s clients reaches Responses', (client) => {
    const read = readClientRequest(client, rawRequest(client, histories[client], false));
    if (isRefusal(read)) throw new Error(read.message);
    const conversion = convertRequest(read, someTarget({ protocol: 'responses' }), IDENTITY);
    if (isRefusal(conversion)) throw new Error(conversion.message);
    const { input } = JSON.parse(conversion.body.toString());
    expect(input[1].content[0].annotations).toEqual([{ type: 'url_citation', ...url_citation }]);
    expect(conversion.dropped).toEqual([]);
  });

  it('does not reach Anthropic, which did not cite it', async () => {
    const plain = callOf('messages', 'gemini').convertAnswer(
      Buffer.from(writeJson(getCodec('gemini').encodeAnswer(ANSWER, sessionOf('gemini')))),
    ) as Buffer;
    const { content } = JSON.parse(plain.toString());
    expect(content[0].citations).toMatchObject([{ type: 'web_search_result_location', url: CITATION.url }]);
    const own = {
      type: 'web_search_result_location',
      url: 'https://own',
      title: 't',
      cited_text: 'c',
      encrypted_index: 'E',
    };
    const messages = [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [{ ...content[0] }, { type: 'text', text: 'x', citations: [own, content[0].citations[0]] }],
      },
    ];
    const raw = rawRequest('messages', { model: 'm', max_tokens: 9, messages }, false);
    const returned = await returnOwnSignatures('messages', raw, someTarget({ protocol: 'messages' }));
    if (isRefusal(returned)) throw new Error(returned.message);
    expect(JSON.parse(returned.body.toString()).messages[1].content).toEqual([
      { type: 'text', text: TEXT },
      { type: 'text', text: 'x', citations: [own] },
    ]);
  });
});
