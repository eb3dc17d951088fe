import { describe, expect, it } from 'vitest';
import {
  someCall as call,
  someSignature as signature,
  someCapabilities,
  someRequest,
  someRules,
  someTarget,
} from '../../../../test/support/hub.ts';
import { Inexpressible } from '../notes.ts';
import type { Part, ToolResultPart } from '../part.ts';
import type { HubRequest, Tool } from '../request.ts';
import { fitRequest } from './fit.ts';
import { attachSignatures, settleSignatures, signaturesWanted } from './signatures.ts';

const text = (said: string): Part => ({ kind: 'text', text: said });
const result = (callId: string, more: Partial<ToolResultPart> = {}): ToolResultPart => ({
  kind: 'tool-result',
  callId,
  parts: [text('found')],
  isError: false,
  custom: false,
  ...more,
});
const look: Tool = { kind: 'function', name: 'look', schema: undefined, strict: undefined };

function fitted(request: Partial<HubRequest>, capabilities = {}, rules = {}): HubRequest {
  const target = someTarget({ capabilities: someCapabilities(capabilities) });
  return fitRequest(someRequest(request), target, someRules(rules)).request;
}

describe('tools', () => {
  it('get the same name in declarations, history, results and choice', () => {
    const request = fitted({
      tools: [{ ...look, name: 'a.b', namespace: 'ns' }],
      toolChoice: { kind: 'tool', name: 'a.b', namespace: 'ns' },
      turns: [
        { role: 'assistant', parts: [call('c1', { name: 'a.b', namespace: 'ns' })] },
        { role: 'user', parts: [result('c1', { name: 'a.b' })] },
      ],
    });
    const [tool] = request.tools;
    expect(tool?.name).toMatch(/^ns__a_b_[0-9a-f]{8}$/);
    expect(tool).not.toHaveProperty('namespace');
    expect(request.toolChoice).toEqual({ kind: 'tool', name: tool?.name });
    expect(request.turns[0]?.parts[0]).toMatchObject({ name: tool?.name });
    expect(request.turns[0]?.parts[0]).not.toHaveProperty('namespace');
    expect(request.turns[1]?.parts[0]).toMatchObject({ name: tool?.name, callId: 'c1' });
  });

  it('of one name are declared once, and a subset of them uses their names', () => {
    const request = fitted({
      tools: [look, { ...look, description: 'again' }, { ...look, name: 'x y' }],
      toolChoice: { kind: 'subset', names: ['look', 'x y'], required: true },
    });
    expect(request.tools).toHaveLength(2);
    expect(request.toolChoice).toEqual({
      kind: 'subset',
      names: ['look', request.tools[1]?.name],
      required: true,
    });
  });

  it('that are not declared are not in the choice', () => {
    const request = fitted({ toolChoice: { kind: 'required' }, parallelCalls: false });
    expect([request.toolChoice, request.parallelCalls]).toEqual([undefined, undefined]);
  });

  const patch: Tool = {
    kind: 'custom',
    name: 'patch',
    description: 'Changes files.',
    grammar: { syntax: 'lark', definition: 'start: "x"' },
  };
  const patched: Partial<HubRequest> = {
    tools: [patch],
    turns: [
      { role: 'assistant', parts: [call('c1', { name: 'patch', custom: true, arguments: 'x "y"\n' })] },
      { role: 'user', parts: [result('c1', { custom: true })] },
    ],
  };

  it('of free text become functions with one text, in declarations and in history', () => {
    const request = fitted(patched);
    expect(request.tools[0]).toMatchObject({
      kind: 'function',
      name: 'patch',
      description: 'Changes files.\n\nThe input must match this grammar (lark):\nstart: "x"',
      schema: '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}',
    });
    expect(request.turns[0]?.parts[0]).toMatchObject({
      custom: false,
      arguments: '{"input":"x \\"y\\"\\n"}',
    });
    expect(request.turns[1]?.parts[0]).toMatchObject({ custom: false });
  });

  it('of free text stay unchanged where protocol and model have them', () => {
    expect(fitted(patched, {}, { customTools: true }).tools[0]).toEqual(patch);
    expect(fitted(patched, {}, { customTools: true }).turns[0]).toEqual(patched.turns?.[0]);
    expect(fitted(patched, { customTools: false }, { customTools: true }).tools[0]?.kind).toBe('function');
  });
});

describe('ids of calls', () => {
  it('are shortened, cleaned and made unique, with their results', () => {
    const long = 'i'.repeat(90);
    const request = fitted({
      turns: [
        { role: 'assistant', parts: [call(long), call('a.b')] },
        { role: 'user', parts: [result('a.b'), result(long)] },
        { role: 'assistant', parts: [call('a.b')] },
        { role: 'user', parts: [result('a.b')] },
      ],
    });
    const ids = request.turns.map(({ parts }) =>
      parts.map((part) => (part.kind === 'tool-call' ? part.id : (part as ToolResultPart).callId)),
    );
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[2]).toEqual(ids[3]);
    expect(ids[0]?.[0]).toMatch(/^i{55}_[0-9a-f]{8}$/);
    expect(new Set([...(ids[0] ?? []), ...(ids[2] ?? [])]).size).toBe(3);
  });

  it('that are missing are generated deterministically, and differ for calls of one function', () => {
    const turns = [
      { role: 'assistant', parts: [call(''), call('')] },
      { role: 'user', parts: [result('', { name: 'look' }), result('', { name: 'look' })] },
    ] as const;
    const [first, again] = [fitted({ turns }), fitted({ turns })];
    expect(first).toEqual(again);
    const [one, two] = (first.turns[1]?.parts ?? []) as ToolResultPart[];
    expect(one?.callId).toMatch(/^call_[0-9a-f]{8}$/);
    expect(one?.callId).not.toBe(two?.callId);
  });
});

describe('signatures', () => {
  const answered = (...parts: Part[]): HubRequest['turns'] => [
    { role: 'assistant', parts },
    { role: 'user', parts: [result('c1')] },
  ];
  const partsOf = (request: HubRequest): readonly Part[] => request.turns[0]?.parts ?? [];

  it('return to their issuer, and native ones to their protocol', () => {
    const thoughts: Part[] = [
      { kind: 'reasoning', text: 'ours', signature: signature('s1') },
      { kind: 'reasoning', text: 'native', signature: signature('s2', { issuer: 'messages' }) },
    ];
    expect(partsOf(fitted({ turns: answered(...thoughts, call('c1')) }))).toEqual([...thoughts, call('c1')]);
  });

  it('of other issuers are removed with their thinking, and so is thinking without a signature', () => {
    const parts: Part[] = [
      { kind: 'reasoning', text: 'foreign', signature: signature('s1', { issuer: 'v2-c1-m1' }) },
      { kind: 'reasoning', text: 'bare' },
      { kind: 'text', text: 'so', signatures: [signature('s2', { issuer: 'gemini', place: 'text' })] },
      call('c1', { signatures: [signature('s3', { issuer: 'gemini', place: 'call' })] }),
    ];
    expect(partsOf(fitted({ turns: answered(...parts) }))).toEqual([text('so'), call('c1')]);
  });

  it('never return to a target that takes none, not even native ones', () => {
    const turns = answered(
      { kind: 'reasoning', text: 't', signature: signature('s', { issuer: 'messages' }) },
      call('c1'),
    );
    const target = someTarget({ issuer: 'none' });
    expect(partsOf(fitRequest(someRequest({ turns }), target, someRules()).request)).toEqual([call('c1')]);
  });

  it('of other issuers leave their thinking where the model requires it', () => {
    const parts: Part[] = [
      { kind: 'reasoning', text: 'foreign', signature: signature('s1', { issuer: 'x' }) },
      call('c1'),
    ];
    expect(partsOf(fitted({ turns: answered(...parts) }, { reasoningContent: true }))[0]).toEqual({
      kind: 'reasoning',
      text: 'foreign',
    });
  });

  it('of a call that came as thinking without text return onto the call, also from a turn of their own', () => {
    const carrier: Part = {
      kind: 'reasoning',
      text: '',
      signature: signature('sig', { place: 'call', form: 'thought' }),
    };
    const turns: HubRequest['turns'] = [
      { role: 'assistant', parts: [carrier] },
      { role: 'assistant', parts: [call('c1'), call('c2')] },
    ];
    expect(partsOf(fitted({ turns }))).toEqual([
      call('c1', { signatures: [signature('sig', { place: 'call', form: 'thought' })] }),
      call('c2'),
    ]);
  });

  it('of thinking that came on a call return before it, on their side of the text', () => {
    const riding = [
      signature('s1', { text: 'first', beforeText: true }),
      signature('s2', { text: 'second' }),
      signature('s3', { place: 'call' }),
    ];
    expect(
      settleSignatures([text('so'), call('c1', { signatures: riding }), text('and'), call('c2')]),
    ).toEqual([
      { kind: 'reasoning', text: 'first', signature: signature('s1') },
      text('so'),
      { kind: 'reasoning', text: 'second', signature: signature('s2') },
      call('c1', { signatures: [signature('s3', { place: 'call' })] }),
      text('and'),
      call('c2'),
    ]);
  });

  it('are found in the whole history, and attached to the calls that lost them', () => {
    const request = someRequest({
      turns: [
        { role: 'user', parts: [text('q')] },
        { role: 'assistant', parts: [call('old')] },
        { role: 'user', parts: [result('old')] },
        { role: 'assistant', parts: [text('done')] },
        { role: 'user', parts: [text('next')] },
        { role: 'assistant', parts: [call('c1')] },
        { role: 'user', parts: [result('c1')] },
        { role: 'assistant', parts: [call('c2'), call('c3', { signatures: [signature('has')] })] },
        { role: 'user', parts: [result('c2')] },
        { role: 'user', parts: [result('c3')] },
        { role: 'user', parts: [text('hurry')] },
      ],
    });
    expect(signaturesWanted(request)).toEqual(['old', 'c1', 'c2']);
    const attached = attachSignatures(
      request,
      new Map([
        ['c2', [signature('s')]],
        ['c3', [signature('no')]],
      ]),
    );
    expect(attached.turns[7]?.parts).toEqual([
      call('c2', { signatures: [signature('s')] }),
      call('c3', { signatures: [signature('has')] }),
    ]);
  });
});

describe('stop sequences', () => {
  it('are kept from targets that lack them, and passed to the others', () => {
    const request = someRequest({ stop: ['END'] });
    const stopFor = (target = someTarget()): readonly string[] =>
      fitRequest(request, target, someRules()).request.stop;
    expect(stopFor()).toEqual(['END']);
    expect(stopFor(someTarget({ protocol: 'responses' }))).toEqual([]);
    expect(stopFor(someTarget({ capabilities: someCapabilities({ stopSequences: false }) }))).toEqual([]);
  });

  it('beyond the supported number are refused', () => {
    const stopping = (stop: string[]) => () => fitted({ stop }, { stopSequences: false });
    expect(stopping(['x'.repeat(1025)])).toThrow(Inexpressible);
    expect(stopping(Array.from({ length: 65 }, (_, index) => `x${index}`))).toThrow(Inexpressible);
    expect(stopping(['x'.repeat(1024)])).not.toThrow();
  });
});
