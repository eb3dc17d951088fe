import { describe, expect, test } from 'vitest';
import { encode, text, tool } from '../../../../test/convert/messages-body.ts';
import { Inexpressible } from '../../hub/notes.ts';
import { type HubRequest, NO_SAMPLING } from '../../hub/request.ts';

describe('a body for Messages', () => {
  test('has an output limit, the vendor’s model, and only the fields that were set', () => {
    expect(encode({}, { maxOutputTokens: 64_000 }).body).toEqual({
      model: 'vendor-model',
      max_tokens: 64_000,
      messages: [{ role: 'user', content: [text('hi')] }],
    });
  });

  test('is the same bytes for the same request', () => {
    const request = {
      system: [{ kind: 'text', text: 's' } as const],
      tools: [tool('{"b":1,"a":2,"type":"object"}')],
    };
    expect(encode(request).text).toBe(encode(request).text);
    expect(encode(request).text).toContain('"input_schema":{"b":1,"a":2,"type":"object"}');
  });

  test('has a limit above the model lowered and reported', () => {
    const { body, dropped } = encode({ maxTokens: 100_000 });
    expect(body.max_tokens).toBe(64_000);
    expect(dropped).toEqual(['max_tokens']);
    expect(encode({ maxTokens: 7 }).body.max_tokens).toBe(7);
  });

  test('cannot have several answers, which are refused', () => {
    expect(() => encode({ answers: 2 })).toThrow(Inexpressible);
  });

  test('has options without a place reported', () => {
    const { dropped } = encode({
      sampling: { ...NO_SAMPLING, frequencyPenalty: 1, presencePenalty: 1, seed: 1 },
      logprobs: 2,
      verbosity: 'low',
      cacheKey: 'k',
      serviceTier: 'flex',
    });
    expect([...dropped].sort()).toEqual(
      [
        'cache_key',
        'frequency_penalty',
        'logprobs',
        'presence_penalty',
        'seed',
        'service_tier',
        'verbosity',
      ].sort(),
    );
  });
});

describe('a requested format', () => {
  const schema = '{"type":"object","properties":{"a":{"type":"string","maxLength":5}},"required":["a"]}';
  const format: HubRequest['format'] = {
    kind: 'schema',
    name: 'n',
    description: undefined,
    schema,
    strict: true,
  };

  test('with a schema is enforced where the model can, and requested in text elsewhere', () => {
    expect(encode({ format }).body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'string', description: '{maxLength: 5}' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    });
    const asked = encode({ format }, { structuredOutput: false });
    expect(asked.body).not.toHaveProperty('output_config');
    expect(asked.text).toContain('JSON Schema, and nothing else');
    expect(asked.dropped).toEqual(['output_config.format']);
  });

  test('with a recursive schema cannot be enforced', () => {
    const recursive =
      '{"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}';
    expect(encode({ format: { ...format, schema: recursive } }).dropped).toEqual(['output_config.format']);
  });

  test('of JSON without a schema is requested in text', () => {
    expect(encode({ format: { kind: 'json' } }).body.system).toEqual([
      { type: 'text', text: 'Respond with a single JSON object and nothing else.' },
    ]);
  });

  test('comes with no blank stop sequences, and no user that is too long', () => {
    const { body, dropped } = encode({ stop: ['END', ' \n'], endUser: 'u' });
    expect(body).toMatchObject({ stop_sequences: ['END'], metadata: { user_id: 'u' } });
    expect(dropped).toEqual(['stop_sequences']);
    expect(encode({ endUser: 'x'.repeat(257) })).toMatchObject({ dropped: ['metadata.user_id'] });
    expect(encode({ stop: ['END'] }, { stopSequences: false }).body).not.toHaveProperty('stop_sequences');
  });
});
