import { describe, expect, it } from 'vitest';
import { wrapSignaturesBase64 } from '../../hub/envelope.ts';
import { Inexpressible } from '../../hub/notes.ts';
import { decodeBody, decodeParts } from '../suite/sample.ts';

const user = { role: 'user', parts: [{ text: 'hi' }] };

describe('a generateContent request', () => {
  it('is read in camel case and in snake case alike', () => {
    const camel = decodeBody({
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
      systemInstruction: { parts: [{ text: 'be kind' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: { maxOutputTokens: 5, topP: 0.5, thinkingConfig: { includeThoughts: true } },
    });
    const snake = decodeBody({
      contents: [{ role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }] }],
      system_instruction: { parts: [{ text: 'be kind' }] },
      tools: [{ function_declarations: [{ name: 'f', parameters_json_schema: { type: 'object' } }] }],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: { max_output_tokens: 5, top_p: 0.5, thinking_config: { include_thoughts: true } },
    });
    expect(snake).toEqual(camel);
    expect(camel.dropped).toEqual([]);
    expect(camel.request).toMatchObject({
      client: 'gemini',
      system: [{ kind: 'text', text: 'be kind' }],
      toolChoice: { kind: 'tool', name: 'f' },
      maxTokens: 5,
      sampling: { topP: 0.5 },
      thinking: { show: true },
    });
  });

  it('prefers the camel-case spelling by presence, not by truth', () => {
    const { request } = decodeBody({
      contents: [user],
      generationConfig: { temperature: 0, stopSequences: [] },
      generation_config: { temperature: 1, stop_sequences: ['x'], top_p: 0.1 },
    });
    expect(request.sampling).toMatchObject({ temperature: 0, topP: undefined });
    expect(request.stop).toEqual([]);
  });

  it('streams when its path says so', () => {
    expect(decodeBody({ contents: [user] }, 'stream').request.stream).toBe(true);
    expect(decodeBody({ contents: [user] }, 'plain').request.stream).toBe(false);
  });

  it('has the user as default role unless the model speaks, and takes responses of the old role', () => {
    const contents = [{ parts: [{ text: 'a' }] }, { role: 'model', parts: [{ text: 'b' }] }];
    const old = { role: 'function', parts: [{ functionResponse: { name: 'f', response: {} } }] };
    const roles = decodeBody({ contents: [...contents, old] }).request.turns.map((turn) => turn.role);
    expect(roles).toEqual(['user', 'assistant', 'user']);
  });

  it('keeps the spelling of arguments and schemas', () => {
    const args = '{"10":1.0,"2":12345678901234567890}';
    const schema = '{"type":"object","properties":{"b":{},"a":{"default":1.0}}}';
    const { request } = decodeBody(
      `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]}],` +
        `"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}]}`,
    );
    expect(request.turns[0]?.parts[0]).toMatchObject({ kind: 'tool-call', arguments: args });
    expect(request.tools[0]).toMatchObject({ schema });
  });

  it('takes a single object in place of a list, and numbers as strings', () => {
    const { request } = decodeBody({
      contents: { parts: { text: 'hi' } },
      tools: { function_declarations: [{ name: 'f' }] },
      generationConfig: { maxOutputTokens: '12' },
    });
    expect(request.turns).toEqual([{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }]);
    expect(request.tools).toEqual([{ kind: 'function', name: 'f', schema: undefined, strict: undefined }]);
    expect(request.maxTokens).toBe(12);
  });

  it('takes a system instruction as a plain text', () => {
    expect(decodeBody({ contents: [user], systemInstruction: 'x' }).request.system).toEqual([
      { kind: 'text', text: 'x' },
    ]);
  });

  it('reports the options that no other vendor has', () => {
    const { dropped, request } = decodeBody({
      contents: [{ parts: [{ text: 'x', partMetadata: {}, videoMetadata: {} }] }],
      safetySettings: [],
      labels: {},
      serviceTier: 'flex',
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f', behavior: 'BLOCKING' }] }],
      toolConfig: { includeServerSideToolInvocations: true },
      generationConfig: { mediaResolution: 'x', responseModalities: ['TEXT'] },
    });
    expect(dropped.toSorted()).toEqual([
      'contents[0].parts[0].partMetadata',
      'contents[0].parts[0].videoMetadata',
      'generationConfig.mediaResolution',
      'labels',
      'safetySettings',
      'serviceTier',
      'toolConfig.includeServerSideToolInvocations',
      'tools[1].functionDeclarations[0].behavior',
    ]);
    expect(request.vendorTools).toEqual([]);
    expect(request.webSearch).toMatchObject({ path: 'tools[0].googleSearch' });
  });

  const REFUSED: readonly (readonly [string, object, string])[] = [
    ['no contents', {}, 'contents: '],
    ['a cache kept at Google', { contents: [user], cachedContent: 'cachedContents/x' }, 'cachedContent: '],
    ['an unknown role', { contents: [{ role: 'system', parts: [] }] }, 'contents[0].role: '],
    ['a part of an unknown kind', { contents: [{ parts: [{ hologram: {} }] }] }, 'contents[0].parts[0]: '],
    ['an empty part', { contents: [{ parts: [{}] }] }, 'contents[0].parts[0]: '],
    ['two payloads', { contents: [{ parts: [{ text: '', fileData: {} }] }] }, 'contents[0].parts[0]: '],
    ['a text that is none', { contents: [{ parts: [{ text: 1 }] }] }, 'contents[0].parts[0].text: '],
    [
      'data without a type',
      { contents: [user, { parts: [{ text: 'a' }, { inlineData: { data: 'AA' } }] }] },
      'contents[1].parts[1].inlineData: ',
    ],
    [
      'arguments in fragments',
      { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', partialArgs: [] } }] }] },
      'contents[0].parts[0].functionCall.partialArgs: ',
    ],
    [
      'pictures as an answer',
      { contents: [user], generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      'generationConfig.responseModalities: ',
    ],
    [
      'a figure that is none',
      { contents: [user], generationConfig: { topK: [] } },
      'generationConfig.topK: ',
    ],
  ];

  it.each(REFUSED)('with %s is refused with its path', (_name, body, message) => {
    expect(() => decodeBody(body)).toThrow(Inexpressible);
    expect(() => decodeBody(body)).toThrow(message);
  });
});

describe('a part of a request', () => {
  it('is a picture, a sound, a film or a file by its type', () => {
    const inline = (mimeType: string): object => ({ inlineData: { mimeType, data: 'AAAA' } });
    const kinds = decodeParts(
      inline('image/png'),
      inline('AUDIO/wav'),
      inline('video/mp4'),
      inline('application/pdf'),
      inline('text/plain; charset=utf-8'),
    );
    expect(kinds.map((part) => part.kind)).toEqual(['image', 'audio', 'video', 'file', 'file']);
    expect(kinds[4]).toMatchObject({ source: { mime: 'text/plain' } });
  });

  it('holds standard base64 in either input alphabet', () => {
    const [part] = decodeParts({ inlineData: { mimeType: 'image/png', data: '-_-\n_-w' } });
    expect(part).toMatchObject({ source: { base64: '+/+/+w==' } });
  });

  it('is an address that others may fetch, unless the file is stored at Google', () => {
    const file = (fileUri: string, mimeType?: string): object => ({ fileData: { fileUri, mimeType } });
    const parts = decodeParts(
      file('https://a.example/x.png?y=1'),
      file('https://a.example/x', 'application/pdf'),
      file('https://youtu.be/abc'),
      file('https://generativelanguage.googleapis.com/v1beta/files/abc', 'image/png'),
      file('gs://bucket/x', 'video/mp4'),
    );
    expect(parts.map((part) => part.kind)).toEqual(['image', 'file', 'video', 'opaque', 'opaque']);
    expect(parts[0]).toEqual({
      kind: 'image',
      source: { kind: 'url', url: 'https://a.example/x.png?y=1', mime: 'image/png' },
    });
    expect(parts[3]).toMatchObject({ path: 'contents[0].parts[3].fileData', protocol: 'gemini' });
  });

  it('carries a signature of Google or an envelope of the gateway, and drops the sentinel', () => {
    const foreign = {
      issuer: 'anthropic-1',
      form: 'signature',
      place: 'reasoning',
      value: 'sig',
      text: 'hm',
    } as const;
    const call = { functionCall: { name: 'f' } };
    const parts = decodeParts(
      { ...call, thoughtSignature: 'Q0FG' },
      { ...call, thought_signature: wrapSignaturesBase64([foreign]) },
      { ...call, thoughtSignature: 'skip_thought_signature_validator' },
      { text: 'done', thoughtSignature: 'Q0FG' },
      { text: 'hm', thought: true, thoughtSignature: 'Q0FG' },
      { thoughtSignature: 'Q0FG' },
    );
    const own = { issuer: 'gemini', form: 'thought', value: 'Q0FG' };
    expect(parts[0]).toMatchObject({ id: '', arguments: '{}', signatures: [{ ...own, place: 'call' }] });
    expect(parts[1]).toMatchObject({ signatures: [foreign] });
    expect(parts[2]).not.toHaveProperty('signatures');
    expect(parts[3]).toMatchObject({ kind: 'text', signatures: [{ ...own, place: 'text' }] });
    expect(parts[4]).toEqual({ kind: 'reasoning', text: 'hm', signature: { ...own, place: 'reasoning' } });
    expect(parts[5]).toMatchObject({ kind: 'text', text: '', signatures: [{ place: 'text' }] });
  });

  it('holds the result of a tool as text, in any form of the client', () => {
    const results = decodeParts(
      ...[{ output: 'ok' }, { error: { code: 1 } }, { a: 1, b: [2] }, {}, { output: null }].map(
        (response) => ({ functionResponse: { id: 'c1', name: 'f', response } }),
      ),
      { functionResponse: { name: 'f' } },
    );
    const said = results.map((part) =>
      part.kind === 'tool-result'
        ? [part.isError, ...part.parts.map((one) => 'text' in one && one.text)]
        : [],
    );
    expect(said).toEqual([
      [false, 'ok'],
      [true, '{"code":1}'],
      [false, '{"a":1,"b":[2]}'],
      [false, '{}'],
      [false, ''],
      [false, ''],
    ]);
    expect(results[0]).toMatchObject({ callId: 'c1', name: 'f' });
    expect(results[5]).toMatchObject({ callId: '' });
  });

  it('keeps the pictures of a tool result', () => {
    const [part] = decodeParts({
      functionResponse: {
        name: 'f',
        response: { output: 'see' },
        parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      },
    });
    expect(part).toMatchObject({ parts: [{ kind: 'text', text: 'see' }, { kind: 'image' }] });
  });

  it('represents a server tool of Google as text', () => {
    const parts = decodeParts(
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
    );
    expect(parts).toMatchObject([
      { kind: 'server-tool', protocol: 'gemini', text: '```python\nprint(1)\n```' },
      { kind: 'server-tool', text: '```\n1\n\n```' },
    ]);
  });
});

describe('options of a request', () => {
  const choose = (mode: string, ...allowedFunctionNames: string[]): unknown =>
    decodeBody({
      contents: [user],
      toolConfig: { functionCallingConfig: { mode, allowedFunctionNames } },
    }).request.toolChoice;

  it('force a tool by name only where exactly one is allowed', () => {
    expect(choose('ANY')).toEqual({ kind: 'required' });
    expect(choose('ANY', 'f')).toEqual({ kind: 'tool', name: 'f' });
    expect(choose('ANY', 'f', 'g')).toEqual({ kind: 'subset', names: ['f', 'g'], required: true });
    expect(choose('VALIDATED', 'f')).toEqual({ kind: 'subset', names: ['f'], required: false });
    expect(choose('AUTO', 'f')).toEqual({ kind: 'auto' });
    expect(choose('none')).toEqual({ kind: 'none' });
    expect(choose('MODE_UNSPECIFIED')).toBeUndefined();
  });

  it('control thinking by budget or by level', () => {
    const think = (thinkingConfig: object): unknown =>
      decodeBody({ contents: [user], generationConfig: { thinkingConfig } }).request.thinking;
    expect(think({ thinkingBudget: 0 })).toMatchObject({ mode: 'off', budgetTokens: undefined });
    expect(think({ thinkingBudget: -1 })).toMatchObject({ mode: 'adaptive', effort: undefined });
    expect(think({ thinking_budget: 2000 })).toMatchObject({ mode: 'budget', budgetTokens: 2000 });
    expect(think({ thinkingLevel: 'low' })).toMatchObject({ mode: undefined, effort: 'low' });
    expect(think({ includeThoughts: false })).toMatchObject({ mode: undefined, show: false });
  });

  it('request JSON with or without a schema', () => {
    const format = (generationConfig: object): unknown =>
      decodeBody({ contents: [user], generationConfig }).request.format;
    const mime = { responseMimeType: 'application/json' };
    expect(format(mime)).toEqual({ kind: 'json' });
    expect(format({ responseMimeType: 'text/plain' })).toEqual({ kind: 'text' });
    expect(format({ ...mime, responseSchema: { type: 'STRING' } })).toMatchObject({
      kind: 'schema',
      schema: '{"type":"string"}',
    });
    expect(format({ ...mime, response_json_schema: { const: 1 } })).toMatchObject({ schema: '{"const":1}' });
  });

  it('drop a choice of plain words, and report it', () => {
    const config = { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } };
    const { request, dropped } = decodeBody({ contents: [user], generationConfig: config });
    expect(request.format).toEqual({ kind: 'text' });
    expect(dropped).toEqual(['generationConfig.responseMimeType']);
  });

  it('request several answers and logprobs', () => {
    const config = { candidateCount: 2, responseLogprobs: true, logprobs: 3, stopSequences: ['a', 'b'] };
    const { request } = decodeBody({ contents: [user], generationConfig: config });
    expect(request).toMatchObject({ answers: 2, logprobs: 3, stop: ['a', 'b'] });
    expect(decodeBody({ contents: [user] }).request).toMatchObject({ answers: 1, logprobs: undefined });
  });
});
