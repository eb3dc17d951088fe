import { describe, expect, it } from 'vitest';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { PROTOCOLS } from './recorded/load.ts';
import { refusedBySimulator } from './specs/simulator.ts';
import { converted, MODELS } from './web-search/searches.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

/** What vendors take from their own clients and few of them send; and what is reported of it. */
const ROWS: readonly (readonly [string, TextProtocol, object, readonly string[]])[] = [
  ['an input that says nothing', 'responses', { model: 'm', input: [{ role: 'user', content: '' }] }, []],
  [
    'a request that only fills the cache',
    'messages',
    { model: 'm', max_tokens: 0, messages: [{ role: 'user', content: 'q' }] },
    ['max_tokens'],
  ],
  [
    'instructions in the midst of a message',
    'messages',
    {
      model: 'm',
      max_tokens: 99,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'before' },
            { type: 'mid_conv_system', content: [{ type: 'text', text: 'be brief' }] },
            { type: 'text', text: 'behind' },
          ],
        },
      ],
    },
    [],
  ],
  [
    'a schema under its first name',
    'gemini',
    {
      contents: [{ role: 'user', parts: [{ text: 'q' }] }],
      generationConfig: { responseMimeType: 'application/json', _responseJsonSchema: schema },
    },
    [],
  ],
];

describe('a rare field of a request', () => {
  const cases = ROWS.flatMap(([what, client, body, dropped]) =>
    PROTOCOLS.filter((vendor) => vendor !== client).map((vendor) => ({
      what,
      client,
      vendor,
      body,
      dropped,
    })),
  );

  it.each(cases)('reaches $vendor: $what', ({ client, vendor, body, dropped }) => {
    // Those that search take the fewest options.
    const model = vendor === 'chat' ? 'gpt-4.1' : MODELS[vendor];
    const conversion = converted(client, body, vendor, model);
    const sent = conversion.body.toString();
    expect(refusedBySimulator(vendor, model, JSON.parse(sent))).toBeUndefined();
    expect(conversion.dropped).toEqual(expect.arrayContaining([...dropped]));
    if (dropped.length === 0) expect(conversion.dropped).toEqual([]);
    if (sent.includes('before')) expect(sent).toMatch(/before.*be brief.*behind/s);
    if (client === 'gemini') expect(sent).toContain('"a"');
  });
});
