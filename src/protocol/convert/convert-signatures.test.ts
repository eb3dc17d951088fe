import { describe, expect, it } from 'vitest';
import { someCapabilities, someTarget } from '../../../test/support/hub.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Target } from '../hub/codec.ts';
import { attachSignatures, signaturesWanted } from '../hub/fit/signatures.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { IDENTITY } from '../suite/pairs.ts';
import { type Conversion, convertRequest, readClientRequest } from './convert.ts';

type Json = Record<string, unknown>;
type Vendor = 'responses' | 'messages' | 'gemini';

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** An answer of each vendor that thinks, speaks and calls, with what the vendor wants back. */
const ANSWERS: Readonly<Record<Vendor, Json>> = {
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'v',
    content: [
      { type: 'thinking', thinking: 'Oslo?', signature: 'c2lnLTE=' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage,
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'v',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Oslo?' }],
        encrypted_content: 'Y2lwaGVy',
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Oslo"}',
        status: 'completed',
      },
    ],
    usage,
  },
  gemini: {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Oslo?', thought: true },
            { text: 'Let me look.' },
            { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'dGhvdWdodA==' },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
};

/** The vendor's own secrets, which must come back to it and to nobody else. */
const SECRETS: Readonly<Record<Vendor, readonly string[]>> = {
  messages: ['c2lnLTE=', 'aGlkZGVu'],
  responses: ['Y2lwaGVy'],
  gemini: ['dGhvdWdodA=='],
};

const schema = { type: 'object', properties: { city: { type: 'string' } } };

/** How a client asks first, and how it goes on with the answer in its history. */
interface Client {
  readonly protocol: TextProtocol;
  ask(): Json;
  goOn(answer: Json): Json;
}

const chat: Client = {
  protocol: 'chat',
  ask: () => ({
    model: 'm',
    messages: [{ role: 'user', content: 'q' }],
    tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }],
  }),
  goOn(answer) {
    const [choice] = answer.choices as { message: Json & { tool_calls: { id: string }[] } }[];
    const message = choice?.message;
    const result = { role: 'tool', tool_call_id: message?.tool_calls[0]?.id, content: 'Rain.' };
    const asked = this.ask();
    return { ...asked, messages: [...(asked.messages as Json[]), message, result] };
  },
};

const messages: Client = {
  protocol: 'messages',
  ask: () => ({
    model: 'm',
    max_tokens: 999,
    messages: [{ role: 'user', content: 'q' }],
    tools: [{ name: 'weather', input_schema: schema }],
  }),
  goOn(answer) {
    const content = answer.content as Json[];
    const call = content.find(({ type }) => type === 'tool_use');
    const result = { type: 'tool_result', tool_use_id: call?.id, content: 'Rain.' };
    const turns = [
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ];
    const asked = this.ask();
    return { ...asked, messages: [...(asked.messages as Json[]), ...turns] };
  },
};

const responses: Client = {
  protocol: 'responses',
  ask: () => ({
    model: 'm',
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [{ role: 'user', content: 'q' }],
    tools: [{ type: 'function', name: 'weather', parameters: schema, strict: false }],
  }),
  goOn(answer) {
    const output = answer.output as Json[];
    const call = output.find(({ type }) => type === 'function_call');
    const result = { type: 'function_call_output', call_id: call?.call_id, output: 'Rain.' };
    const asked = this.ask();
    return { ...asked, input: [...(asked.input as Json[]), ...output, result] };
  },
};

const gemini: Client = {
  protocol: 'gemini',
  ask: () => ({
    contents: [{ role: 'user', parts: [{ text: 'q' }] }],
    tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
  }),
  goOn(answer) {
    const [candidate] = answer.candidates as { content: { parts: { functionCall?: Json }[] } }[];
    const call = candidate?.content.parts.find(
      ({ functionCall }) => functionCall !== undefined,
    )?.functionCall;
    const functionResponse = { id: call?.id, name: 'weather', response: { output: 'Rain.' } };
    const asked = this.ask();
    const contents = [
      ...(asked.contents as Json[]),
      candidate?.content,
      { role: 'user', parts: [{ functionResponse }] },
    ];
    return { ...asked, contents };
  },
};

function read(client: Client, body: Json) {
  const path = { model: 'm', stream: false, framing: 'sse' } as const;
  const raw = {
    body: Buffer.from(JSON.stringify(body)),
    contentType: 'application/json',
    path: client.protocol === 'gemini' ? path : undefined,
  };
  const request = readClientRequest(client.protocol, raw);
  if (isRefusal(request)) throw new Error(request.message);
  return request;
}

function convert(request: ReturnType<typeof read>, target: Target): Conversion {
  const conversion = convertRequest(request, target, IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return conversion;
}

function answerFor(
  client: Client,
  target: Target,
): { readonly answer: Json; readonly conversion: Conversion } {
  const conversion = convert(read(client, client.ask()), target);
  const answer = conversion.convertAnswer(Buffer.from(JSON.stringify(ANSWERS[target.protocol as Vendor])));
  if (!Buffer.isBuffer(answer)) throw new Error('no answer');
  return { answer: JSON.parse(answer.toString()), conversion };
}

function createTarget(protocol: Vendor, issuer = 'v1-c1-m1'): Target {
  const thinking = protocol === 'messages' ? ('adaptive' as const) : ('effort' as const);
  return someTarget({
    protocol,
    issuer,
    capabilities: someCapabilities({ thinking, thinksByDefault: true }),
  });
}

/** What of the second request stands between the user's question and the result. */
function spoken(vendor: Vendor, body: Json): Json[] {
  if (vendor === 'messages') return (body.messages as { content: Json[] }[])[1]?.content ?? [];
  if (vendor === 'gemini') return (body.contents as { parts: Json[] }[])[1]?.parts ?? [];
  return (body.input as Json[]).filter(
    ({ role, type }) => role !== 'user' && type !== 'function_call_output',
  );
}

function readKind(part: Json): string {
  if (part.type !== undefined) return String(part.type);
  return part.functionCall === undefined ? 'text' : 'functionCall';
}

const ORDER: Readonly<Record<Vendor, readonly string[]>> = {
  messages: ['thinking', 'redacted_thinking', 'text', 'tool_use'],
  responses: ['reasoning', 'message', 'function_call'],
  gemini: ['text', 'functionCall'],
};

const PAIRS = [chat, messages, responses, gemini].flatMap((client) =>
  (['responses', 'messages', 'gemini'] as const)
    .filter((vendor) => vendor !== client.protocol)
    .map((vendor) => [client.protocol, vendor, client] as const),
);

describe.each(PAIRS)('thinking that a client of %s got from %s', (_protocol, vendor, client) => {
  const { answer, conversion } = answerFor(client, createTarget(vendor));
  const next = read(client, client.goOn(answer));

  it('returns to its issuer, whole and in order', () => {
    const body = convert(next, createTarget(vendor)).body.toString();
    for (const secret of SECRETS[vendor]) expect(body.split(secret)).toHaveLength(2);
    expect(spoken(vendor, JSON.parse(body)).map(readKind)).toEqual(ORDER[vendor]);
    if (vendor !== 'gemini') expect(body).toContain('Oslo?');
  });

  it('returns to no other vendor', () => {
    for (const target of [
      createTarget(vendor, 'v2-c2-m2'),
      createTarget('messages', 'v3'),
      createTarget('gemini', 'v4'),
    ]) {
      const body = convert(next, target).body.toString();
      for (const secret of SECRETS[vendor]) expect(body).not.toContain(secret);
      expect(body).not.toContain('tollgate');
      expect(body).toContain('Let me look.');
    }
  });

  it('is stored by the gateway for a client that drops unknown fields', () => {
    if (client.protocol !== 'chat') {
      expect(conversion.kept.size).toBe(0);
      return;
    }
    const bare = JSON.parse(
      JSON.stringify(answer, (key, value) => (key === 'extra_content' ? undefined : value)),
    );
    const forgetful = read(client, client.goOn(bare));
    expect(signaturesWanted(forgetful.request)).toEqual([...conversion.kept.keys()]);
    const request = attachSignatures(forgetful.request, conversion.kept);
    const body = convert({ ...forgetful, request }, createTarget(vendor)).body;
    expect(body.equals(convert(next, createTarget(vendor)).body)).toBe(true);
  });
});
