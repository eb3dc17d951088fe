import { describe, expect, it } from 'vitest';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part } from '../../hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING, type Thinking, type Turn } from '../../hub/request.ts';
import { createGeminiTarget, encodeBody, hubRequest } from '../suite/sample.ts';

const tool = { kind: 'function', name: 'f', schema: undefined, strict: undefined } as const;
const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } };

describe('tools for Gemini', () => {
  it('are in one entry, with a schema only where there are arguments', () => {
    const { body } = encodeBody(
      hubRequest({
        tools: [
          { ...tool, description: 'does', schema: '{"type":"object","properties":{"a":{"const":1}}}' },
          { ...tool, name: 'g', schema: '{"type":"object","properties":{}}' },
          { ...tool, name: 'g' },
        ],
      }),
    );
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'does',
            parametersJsonSchema: { type: 'object', properties: { a: { enum: [1] } } },
          },
          { name: 'g' },
        ],
      },
    ]);
  });

  const CHOICES: readonly (readonly [HubRequest['toolChoice'], object | undefined])[] = [
    [undefined, undefined],
    [{ kind: 'auto' }, { mode: 'AUTO' }],
    [{ kind: 'none' }, { mode: 'NONE' }],
    [{ kind: 'required' }, { mode: 'ANY' }],
    [
      { kind: 'tool', name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [{ kind: 'tool', name: 'gone' }, undefined],
    [
      { kind: 'subset', names: ['f', 'gone'], required: false },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
    [
      { kind: 'subset', names: ['f'], required: true },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ];

  it.each(CHOICES)('are chosen by %j', (toolChoice, functionCallingConfig) => {
    const { body } = encodeBody(hubRequest({ tools: [tool], toolChoice }));
    const expected = functionCallingConfig === undefined ? undefined : { functionCallingConfig };
    expect(body.toolConfig).toEqual(expected);
  });

  it('cannot be forced where the model forbids it, and the loss is reported', () => {
    const request = hubRequest({ tools: [tool], toolChoice: { kind: 'required' } });
    const { body, dropped } = encodeBody(
      request,
      createGeminiTarget('gemini-3-pro', { forcedToolChoice: false }),
    );
    expect(body.toolConfig).toBeUndefined();
    expect(dropped).toEqual(['toolConfig.functionCallingConfig']);
  });
});

describe('options for Gemini', () => {
  const think = (thinking: Partial<Thinking>, model: string, more: Partial<HubRequest> = {}): unknown => {
    const request = hubRequest({ client: 'responses', ...more, thinking: { ...NO_THINKING, ...thinking } });
    const config = encodeBody(request, createGeminiTarget(model)).body.generationConfig;
    return (config as { thinkingConfig?: unknown } | undefined)?.thinkingConfig;
  };

  it('control thinking by a level of the model, never by a budget, from Gemini 3 on', () => {
    expect(think({ effort: 'medium' }, 'gemini-3-pro')).toEqual({ thinkingLevel: 'HIGH' });
    expect(think({ effort: 'minimal' }, 'gemini-3-flash')).toEqual({ thinkingLevel: 'MINIMAL' });
    expect(think({ effort: 'none' }, 'gemini-3-pro')).toEqual({ thinkingLevel: 'LOW' });
    expect(think({ mode: 'off' }, 'gemini-3.1-pro')).toEqual({ thinkingLevel: 'LOW' });
    expect(think({ mode: 'budget', budgetTokens: 20_000 }, 'gemini-3.1-pro')).toEqual({
      thinkingLevel: 'HIGH',
    });
    expect(think({ mode: 'adaptive' }, 'gemini-3-pro')).toBeUndefined();
  });

  it('control thinking by a budget within its bounds on Gemini 2.5', () => {
    expect(think({ effort: 'none' }, 'gemini-2.5-flash')).toEqual({ thinkingBudget: 0 });
    expect(think({ effort: 'none' }, 'gemini-2.5-pro')).toEqual({ thinkingBudget: 128 });
    expect(think({ effort: 'medium' }, 'gemini-2.5-pro')).toEqual({ thinkingBudget: 8192 });
    expect(think({ effort: 'max' }, 'gemini-2.5-flash')).toEqual({ thinkingBudget: 24_576 });
    expect(think({ mode: 'budget', budgetTokens: 99_999 }, 'gemini-2.5-pro')).toEqual({
      thinkingBudget: 32_768,
    });
    expect(think({ mode: 'adaptive' }, 'gemini-2.5-pro')).toEqual({ thinkingBudget: -1 });
    expect(think({ effort: 'high' }, 'gemini-2.5-pro', { maxTokens: 1000 })).toEqual({ thinkingBudget: 999 });
    expect(think({}, 'gemini-2.5-pro')).toBeUndefined();
  });

  it('include thoughts for clients that want them', () => {
    expect(think({ show: true }, 'gemini-3-pro')).toEqual({ includeThoughts: true });
    expect(think({ show: false, effort: 'low' }, 'gemini-3-pro')).toEqual({ thinkingLevel: 'LOW' });
    expect(think({ effort: 'low' }, 'gemini-3-pro', { client: 'chat' })).toEqual({
      includeThoughts: true,
      thinkingLevel: 'LOW',
    });
    expect(think({}, 'gemini-3-pro', { client: 'chat' })).toBeUndefined();
  });

  it('request JSON, in text where the model takes no format beside tools', () => {
    const schema = '{"type":"object","properties":{"a":{"type":"string"}}}';
    const format = { kind: 'schema', name: 'x', description: undefined, schema, strict: true } as const;
    expect(encodeBody(hubRequest({ format, tools: [tool] })).body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: JSON.parse(schema),
    });
    const older = encodeBody(hubRequest({ format, tools: [tool] }), createGeminiTarget('gemini-2.5-pro'));
    expect(older.body.generationConfig).toBeUndefined();
    expect(JSON.stringify(older.body.systemInstruction)).toContain('JSON Schema');
    expect(older.dropped).toEqual(['generationConfig.responseMimeType']);
    const json = encodeBody(hubRequest({ format: { kind: 'json' } }), createGeminiTarget('gemini-2.5-pro'));
    expect(json.body.generationConfig).toEqual({ responseMimeType: 'application/json' });
  });

  it('stay within the limits of Google', () => {
    const sampling = {
      ...NO_SAMPLING,
      temperature: 3,
      topP: 0.5,
      topK: 4,
      seed: 2 ** 40,
      presencePenalty: 1,
    };
    const { body, dropped } = encodeBody(
      hubRequest({ sampling, stop: ['a', '', 'b', 'c', 'd', 'e', 'f'], maxTokens: 10 ** 9, logprobs: 30 }),
    );
    expect(body.generationConfig).toEqual({
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
      maxOutputTokens: 65_536,
      temperature: 2,
      topP: 0.5,
      topK: 4,
      responseLogprobs: true,
      logprobs: 20,
    });
    expect(dropped).toEqual([
      'generationConfig.stopSequences',
      'generationConfig.maxOutputTokens',
      'generationConfig.seed',
      'generationConfig.presencePenalty',
    ]);
  });

  it('request several answers, but not more than eight', () => {
    expect(encodeBody(hubRequest({ answers: 8 })).body.generationConfig).toEqual({ candidateCount: 8 });
    expect(() => encodeBody(hubRequest({ answers: 9 }))).toThrow(Inexpressible);
  });

  it('report what Google cannot express', () => {
    const marked: Part = { kind: 'text', text: 'a', cache: {} };
    const turns: Turn[] = [{ role: 'user', parts: [marked, { ...picture, detail: 'low' } as Part] }];
    const { dropped } = encodeBody(
      hubRequest({
        turns,
        tools: [{ ...tool, strict: true }],
        endUser: 'u',
        cacheKey: 'k',
        serviceTier: 'flex',
        verbosity: 'low',
        parallelCalls: false,
      }),
    );
    expect(dropped.toSorted()).toEqual([
      'cachedContent',
      'generationConfig',
      'generationConfig.mediaResolution',
      'labels',
      'serviceTier',
      'toolConfig',
      'toolConfig.functionCallingConfig.mode',
    ]);
  });

  it('give the same bytes for the same request', () => {
    const request = hubRequest({ tools: [tool], toolChoice: { kind: 'auto' }, maxTokens: 5 });
    expect(encodeBody(request).text).toBe(encodeBody(structuredClone(request)).text);
    expect(Object.keys(encodeBody(request).body)).toEqual([
      'contents',
      'tools',
      'toolConfig',
      'generationConfig',
    ]);
  });
});
