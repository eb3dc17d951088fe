import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someRequest } from '../../../../test/support/hub.ts';
import { runs } from '../../../../test/support/property-runs.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../part.ts';
import type { Turn } from '../request.ts';
import { pairResults } from './tool-pairs.ts';
import {
  inlineSystemTurns,
  mergeTurns,
  splitTurns,
  startRequestWithUser,
  startWithUser,
  withoutBlankText,
  withoutEmptyText,
  withoutPrefill,
} from './turns.ts';

const text = (said: string): Part => ({ kind: 'text', text: said });
const call = (id: string, name = 'look'): ToolCallPart => ({
  kind: 'tool-call',
  id,
  name,
  arguments: '{}',
  custom: false,
});
const result = (callId: string, said = 'found', name?: string): ToolResultPart => ({
  kind: 'tool-result',
  callId,
  name,
  parts: [text(said)],
  isError: false,
  custom: false,
});
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const system = (...parts: Part[]): Turn => ({ role: 'system', parts });

/** Taken apart, put together and paired: as a request goes through the hub. */
function pairedLines(...turns: Turn[]): readonly string[] {
  return lines(pairResults(mergeTurns(splitTurns(turns))));
}

/** Turns as short lines: `user result a:found, text hi`. */
function lines(turns: readonly Turn[]): readonly string[] {
  return turns.map(({ role, parts }) => `${role} ${parts.map(word).join(', ')}`);
}

function word(part: Part): string {
  if (part.kind === 'text') return `text ${part.text}`;
  if (part.kind === 'tool-call') return `call ${part.id}`;
  if (part.kind !== 'tool-result') return part.kind;
  const said = part.parts.map((inner) => word(inner)).join('+');
  return `${part.isError ? 'error' : 'result'} ${part.callId}:${said}`;
}

describe('the pairing of results with their calls', () => {
  it('puts parallel results into one turn, in the order of the calls and first in it', () => {
    const turns = [
      assistant(text('let me see'), call('a'), call('b')),
      user(result('b', 'B')),
      user(text('hurry'), result('a', 'A')),
    ];
    expect(lines(pairResults(turns))).toEqual([
      'assistant text let me see, call a, call b',
      'user result a:text A, result b:text B, text hurry',
    ]);
  });

  it('moves content between a call and its result behind the result', () => {
    const turns = [assistant(call('a')), system(text('be kind')), user(text('wait'), result('a'))];
    expect(lines(pairResults(turns))).toEqual([
      'assistant call a',
      'user result a:text found',
      'system text be kind',
      'user text wait',
    ]);
  });

  it('answers an unanswered call with an error', () => {
    expect(
      lines(pairResults([assistant(call('a'), call('b')), user(result('a')), assistant(text('ok'))])),
    ).toEqual([
      'assistant call a, call b',
      'user result a:text found, error b:text (no result)',
      'assistant text ok',
    ]);
    expect(lines(pairResults([user(text('hi')), assistant(call('a'))])).at(-1)).toBe(
      'user error a:text (no result)',
    );
  });

  it('turns a result without its call into user text, and a second result of one call too', () => {
    expect(
      lines(
        pairResults([user(result('gone', 'x')), assistant(call('a')), user(result('a'), result('a', '2'))]),
      ),
    ).toEqual([
      'user text Result of the tool call gone:, text x',
      'assistant call a',
      'user result a:text found, text Result of the tool call a:, text 2',
    ]);
  });

  it('does not let a result answer a call that comes later', () => {
    const paired = pairResults([user(result('a', 'early')), assistant(call('a')), user(text('so?'))]);
    expect(lines(paired)[2]).toBe('user error a:text (no result), text so?');
  });

  it('splits a turn with calls and results, in any role', () => {
    const apart = ['user text q', 'assistant call a', 'user result a:text 1', 'assistant text so'];
    expect(pairedLines(user(text('q')), assistant(call('a'), result('a', '1'), text('so')))).toEqual(apart);
    expect(pairedLines(user(text('q'), call('a'), result('a', '1')), assistant(text('so')))).toEqual(apart);
    expect(pairedLines(user(text('q')), assistant(result('a', '1'), call('a'), text('so')))).toEqual(apart);
    expect(
      pairedLines(
        assistant(
          call('a'),
          result('a', '1'),
          call('b', 'g'),
          call('c'),
          result('c', '3'),
          result('', '2', 'g'),
        ),
      ),
    ).toEqual([
      ...['assistant call a', 'user result a:text 1', 'assistant call b, call c'],
      'user result b:text 2, result c:text 3',
    ]);
  });

  it('merges calls that came as items of their own, and keeps the order of text and calls', () => {
    const turns = [
      assistant(text('one')),
      assistant(call('a')),
      assistant(text('two')),
      assistant(call('b')),
    ];
    expect(lines(pairResults([...turns, user(result('a'), result('b'))]))[0]).toBe(
      'assistant text one, call a, text two, call b',
    );
  });

  it('pairs by name and order where there are no ids, and separates two calls of one function', () => {
    const turns = [
      assistant(call('', 'f'), call('', 'g'), call('', 'f')),
      user(result('', 'g1', 'g'), result('', 'f1', 'f'), result('', 'f2', 'f')),
    ];
    const paired = pairResults(turns)[1]?.parts as ToolResultPart[];
    expect(paired.map((part) => [part.name, word(part)])).toEqual([
      ['f', 'result :text f1'],
      ['g', 'result :text g1'],
      ['f', 'result :text f2'],
    ]);
  });

  it('gives a result without id to a call with one, and a result with an id to a call without', () => {
    expect(lines(pairResults([assistant(call('a', 'f')), user(result('', 'x', 'f'))]))[1]).toBe(
      'user result a:text x',
    );
    expect(lines(pairResults([assistant(call('', 'f')), user(result('z', 'x', 'f'))]))[1]).toBe(
      'user result :text x',
    );
  });

  it('gives a repeated id to the latest call that has it', () => {
    const turns = [assistant(call('a')), user(text('no')), assistant(call('a')), user(result('a', 'second'))];
    expect(lines(pairResults(turns))).toEqual([
      'assistant call a',
      'user error a:text (no result), text no',
      'assistant call a',
      'user result a:text second',
    ]);
  });

  it('always answers every call directly behind it exactly once, and loses no text', () => {
    const id = fc.constantFrom('', 'a', 'b', 'c');
    const said = fc.string({ minLength: 1, maxLength: 3 });
    const userPart = fc.oneof(
      said.map(text),
      fc.tuple(id, said).map(([callId, words]) => result(callId, words)),
    );
    const assistantPart = fc.oneof(
      said.map(text),
      id.map((callId) => call(callId)),
    );
    const turn = fc.oneof(
      fc.array(userPart, { maxLength: 4 }).map((parts) => user(...parts)),
      fc.array(assistantPart, { maxLength: 4 }).map((parts) => assistant(...parts)),
      said.map((words) => system(text(words))),
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const paired = pairResults(turns);
        paired.forEach(({ role, parts }, index) => {
          expect(parts.length).toBeGreaterThan(0);
          expect(paired[index + 1]?.role).not.toBe(role);
          const calls = parts.filter((part) => part.kind === 'tool-call');
          const next = paired[index + 1]?.parts ?? [];
          const results = next.filter((part) => part.kind === 'tool-result');
          if (role === 'assistant') {
            expect(results.map((part) => part.callId)).toEqual(calls.map((part) => part.id));
            expect(next.slice(0, results.length)).toEqual(results);
          }
        });
        expect(paired[0]?.parts.some((part) => part.kind === 'tool-result') ?? false).toBe(false);
        for (const words of wordsOf(turns)) expect(wordsOf(paired)).toContain(words);
        expect(pairResults(paired)).toEqual(paired);
      }),
      { numRuns: runs(300) },
    );
  });

  it('handles a hundred thousand calls and results quickly', () => {
    const calls = Array.from({ length: 100_000 }, (_, index) => call(`c${index % 7}`));
    const results = Array.from({ length: 100_000 }, (_, index) => result(`x${index}`, 'x', 'other'));
    expect(pairResults([assistant(...calls), user(...results)])[1]?.parts).toHaveLength(300_000);
  });
});

function wordsOf(turns: readonly Turn[]): readonly string[] {
  const of = (part: Part): readonly string[] =>
    part.kind === 'text' ? [part.text] : part.kind === 'tool-result' ? part.parts.flatMap(of) : [];
  return turns.flatMap(({ parts }) => parts.flatMap(of));
}

describe('turns for targets with special rules', () => {
  it('begin with the user', () => {
    expect(lines(startWithUser([assistant(text('hi'))]))).toEqual([
      'user text Continue.',
      'assistant text hi',
    ]);
    expect(lines(startWithUser([user(text('hi'))]))).toEqual(['user text hi']);
    const alone = startRequestWithUser(someRequest({ system: [{ kind: 'text', text: 'act' }] }));
    expect([alone.system, lines(alone.turns)]).toEqual([[], ['user text act']]);
  });

  it('lose trailing assistant turns of text alone', () => {
    expect(lines(withoutPrefill([user(text('q')), assistant(text('The answer'))]))).toEqual(['user text q']);
    expect(lines(withoutPrefill([user(text('q'))]))).toEqual(['user text q']);
  });

  it('keep a trailing signed thought, followed by a user turn', () => {
    const signature = { issuer: 'i', form: 'signature', place: 'reasoning', value: 's' } as const;
    const turns = [user(text('q')), assistant({ kind: 'reasoning', text: 't', signature }, text('a'))];
    expect(lines(withoutPrefill(turns))).toEqual([
      'user text q',
      'assistant reasoning, text a',
      'user text Continue.',
    ]);
  });

  it('lose empty text, also inside results, and merge again', () => {
    const turns = [user(text('a')), assistant(text('')), user(text(''), text('b'))];
    expect(lines(withoutEmptyText(turns))).toEqual(['user text a, text b']);
    expect(lines(withoutEmptyText([assistant(text(' '))]))).toEqual(['assistant text  ']);
    expect(lines(withoutBlankText([user(text('a')), assistant(text(' \n'))]))).toEqual(['user text a']);
    expect(lines(withoutEmptyText([assistant(call('a')), user(result('a', ''))]))[1]).toBe('user result a:');
  });

  it('keep an empty text that is signed', () => {
    const signature = { issuer: 'i', form: 'thought', place: 'text', value: 's' } as const;
    const turns = [assistant({ kind: 'text', text: '', signatures: [signature] })];
    expect(withoutEmptyText(turns)).toEqual(turns);
  });

  it('carry system turns inside the conversation in the user turn, behind results', () => {
    const turns = [
      user(text('q')),
      assistant(call('a')),
      user(result('a')),
      system(text('be kind')),
      user(text('go')),
    ];
    expect(lines(inlineSystemTurns(turns)).at(-1)).toBe(
      'user result a:text found, text <system-reminder>\nbe kind\n</system-reminder>, text go',
    );
  });
});
