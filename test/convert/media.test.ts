import { describe, expect, it } from 'vitest';
import { isRefusal, type Refusal } from '../../src/kernel/errors.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { someTarget } from '../support/hub.ts';
import { PROTOCOLS } from './recorded/load.ts';
import { IDENTITY, rawRequest } from './recorded/pass.ts';

/** A place where a client writes inline data, an address or a media type; `at` is its path in the body. */
interface Place {
  readonly client: TextProtocol;
  readonly at: string;
  readonly body: (value: string) => object;
}

const chat = (at: string, part: (value: string) => object): Place => ({
  client: 'chat',
  at: `messages[0].content[0].${at}`,
  body: (value) => ({ model: 'm', messages: [{ role: 'user', content: [part(value)] }] }),
});
const responses = (at: string, part: (value: string) => object): Place => ({
  client: 'responses',
  at: `input[0].content[0].${at}`,
  body: (value) => ({ model: 'm', input: [{ role: 'user', content: [part(value)] }] }),
});
const output = (at: string, part: (value: string) => object): Place => ({
  client: 'responses',
  at: `input[1].output[0].${at}`,
  body: (value) => ({
    model: 'm',
    input: [
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [part(value)] },
    ],
  }),
});
const messages = (at: string, block: (value: string) => object): Place => ({
  client: 'messages',
  at: `messages[0].content[0].${at}`,
  body: (value) => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [block(value)] }] }),
});
const gemini = (at: string, part: (value: string) => object): Place => ({
  client: 'gemini',
  at: `contents[0].parts[0].${at}`,
  body: (value) => ({ contents: [{ role: 'user', parts: [part(value)] }] }),
});

const base64 = (type: string, media_type: string): Place =>
  messages('source', (data) => ({ type, source: { type: 'base64', media_type, data } }));

/** Where nothing but base64 may stand. */
const BASE64: readonly Place[] = [
  chat('input_audio.data', (data) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } })),
  base64('image', 'image/png'),
  base64('document', 'application/pdf'),
  gemini('inlineData', (data) => ({ inlineData: { mimeType: 'image/png', data } })),
  gemini('inlineData', (data) => ({ inline_data: { mime_type: 'application/pdf', data } })),
];

/** Where data addresses or base64 may stand. */
const DATA: readonly Place[] = [
  chat('file.file_data', (data) => ({ type: 'file', file: { filename: 'a.pdf', file_data: data } })),
  chat('file.file_data', (data) => ({ type: 'file', file: { file_data: data } })),
  responses('file_data', (data) => ({ type: 'input_file', filename: 'a.pdf', file_data: data })),
  output('file_data', (data) => ({ type: 'input_file', filename: 'a.pdf', file_data: data })),
];

/** Where addresses may stand. */
const ADDRESSES: readonly Place[] = [
  chat('image_url', (url) => ({ type: 'image_url', image_url: { url } })),
  chat('image_url', (url) => ({ type: 'image_url', image_url: url })),
  chat('video_url', (url) => ({ type: 'video_url', video_url: { url } })),
  responses('image_url', (url) => ({ type: 'input_image', image_url: url })),
  responses('file_url', (url) => ({ type: 'input_file', file_url: url })),
  output('image_url', (url) => ({ type: 'input_image', image_url: url })),
  messages('source.url', (url) => ({ type: 'image', source: { type: 'url', url } })),
  messages('source.url', (url) => ({ type: 'document', source: { type: 'url', url } })),
  gemini('fileData', (fileUri) => ({ fileData: { fileUri } })),
];

/** Where a media type stands. */
const TYPES: readonly Place[] = [
  chat('image_url', (type) => ({ type: 'image_url', image_url: { url: `data:${type};base64,AAEC` } })),
  chat('file.file_data', (type) => ({ type: 'file', file: { file_data: `data:${type};base64,AAEC` } })),
  chat('input_audio.format', (format) => ({ type: 'input_audio', input_audio: { data: 'AAEC', format } })),
  responses('image_url', (type) => ({ type: 'input_image', image_url: `data:${type};base64,AAEC` })),
  responses('file_data', (type) => ({ type: 'input_file', file_data: `data:${type};base64,AAEC` })),
  messages('source', (type) => ({
    type: 'image',
    source: { type: 'base64', media_type: type, data: 'AAEC' },
  })),
  gemini('inlineData', (mimeType) => ({ inlineData: { mimeType, data: 'AAEC' } })),
  gemini('fileData', (mimeType) => ({ fileData: { mimeType, fileUri: 'https://a.example/b' } })),
];

const cross = (places: readonly Place[], values: readonly string[]): readonly (Place & { value: string })[] =>
  places.flatMap((place) => values.map((value) => ({ ...place, value })));

const WRONG = [
  ...cross(BASE64, [
    'gs://b/a.pdf',
    'https://a.example/b.pdf',
    'plain text',
    '',
    'AA=A',
    'data:image/png;base64,AA==',
  ]),
  ...cross(DATA, [
    'gs://b/a.pdf',
    's3://b/a',
    'plain text',
    'hello',
    'data:application/pdf;base64,gs://b/a.pdf',
  ]),
  ...cross(ADDRESSES, [
    'gs://b/a.png',
    'file:///a.png',
    'iVBORw0KGgoAAAAA',
    'a.png',
    'data:image/png',
    'data:image/png;base64,%%',
  ]),
  ...cross(TYPES, ['picture', 'image/', '/png', 'image png', 'x/y/z']),
].filter(({ at, value }) => !(at.endsWith('input_audio.data') && value.startsWith('data:')));

function converted(place: Place, value: string, vendor: TextProtocol): Conversion | Refusal {
  const read = readClientRequest(place.client, rawRequest(place.client, place.body(value), false));
  return isRefusal(read) ? read : convertRequest(read, someTarget({ protocol: vendor }), IDENTITY);
}

describe('invalid inline data, addresses and media types', () => {
  it.each(WRONG)('in $client at $at: $value is refused by name, for every vendor', (wrong) => {
    for (const vendor of PROTOCOLS.filter((one) => one !== wrong.client)) {
      const result = converted(wrong, wrong.value, vendor);
      if (!isRefusal(result)) throw new Error(`${vendor} was sent ${result.body}`);
      expect(result.error.code).toBe(40004);
      expect(result.message).toContain(wrong.at);
    }
  });
});

/** A PDF in the field for pictures and a picture in the field for files: the type says what it is. */
const PDF = 'data:application/pdf;base64,JVBERi0xLjQK';
const PNG = 'data:image/png;base64,iVBORw0KGgoAAAAA';

describe('media in another field than its own', () => {
  const places: readonly (readonly [Place, string])[] = [
    [chat('', (url) => ({ type: 'image_url', image_url: { url } })), PDF],
    [chat('', (file_data) => ({ type: 'file', file: { filename: 'a.png', file_data } })), PNG],
    [responses('', (image_url) => ({ type: 'input_image', image_url })), PDF],
    [responses('', (file_data) => ({ type: 'input_file', filename: 'a.png', file_data })), PNG],
  ];
  it.each(places)('in %o has the kind of its type', (place, address) => {
    const data = address.split(',')[1] as string;
    const isPdf = address === PDF;
    const seen: Readonly<Record<TextProtocol, string>> = {
      chat: isPdf ? '"type":"file"' : '"type":"image_url"',
      responses: isPdf ? '"type":"input_file"' : '"type":"input_image"',
      messages: isPdf ? '"type":"document"' : '"type":"image"',
      gemini: isPdf ? '"mimeType":"application/pdf"' : '"mimeType":"image/png"',
    };
    for (const vendor of PROTOCOLS.filter((one) => one !== place.client)) {
      const result = converted(place, address, vendor);
      if (isRefusal(result)) throw new Error(`${vendor}: ${result.message}`);
      expect(result.body.toString()).toContain(seen[vendor]);
      expect(result.body.toString()).toContain(data);
    }
  });
});
