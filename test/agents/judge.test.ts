import { describe, expect, it } from 'vitest';
import type { TruthCall } from '../../sim/truth.ts';
import type { Visit } from './doorman.ts';
import { type Evidence, judge } from './judge.ts';

const SECRET = 'harbour12';

function call(text: string, calls: readonly string[] = []): TruthCall {
  const said = {
    text,
    reasoning: '',
    refusal: '',
    finish: calls.length > 0 ? 'tool' : 'stop',
    calls: calls.map((name) => ({ id: 'c', name, arguments: '{}' })),
  };
  return { finished: 'complete', said } as unknown as TruthCall;
}

const asking = call('', ['files__read']);
const answering = call('door week house');
const posted = { method: 'POST', path: '/v1/messages', status: 200 } as Visit;

const CLOSED: Evidence = {
  ended: { exitCode: 0, printed: '{"result":"door week\\nhouse"}', complained: '' },
  secret: SECRET,
  visits: [posted, { ...posted, method: 'HEAD', status: 404 }],
  tool: 'read',
  truth: [asking, answering],
  bodyOf: (each) => Buffer.from(each === answering ? `{"result":"${SECRET}"}` : '{}'),
};

describe('the loop of an agent', () => {
  it('is closed when the tool ran and the answer was printed', () => {
    expect(judge(CLOSED)).toEqual([]);
  });

  const broken: readonly (readonly [string, Partial<Evidence>, string])[] = [
    ['the agent ends badly', { ended: { ...CLOSED.ended, exitCode: 1 } }, 'exit code 1'],
    ['the agent is too slow', { ended: { ...CLOSED.ended, exitCode: undefined } }, 'it was too slow'],
    ['a request is refused', { visits: [{ ...posted, status: 400 }, posted] }, 'was answered 400'],
    ['another tool is called', { tool: 'write' }, 'the vendor called files__read'],
    ['no result reaches the vendor', { bodyOf: () => Buffer.from('{}') }, 'did not reach the vendor'],
    ['nothing follows the result', { truth: [asking], bodyOf: () => Buffer.from(SECRET) }, 'no answer'],
    ['the answer is not shown', { ended: { ...CLOSED.ended, printed: 'door' } }, 'was not printed'],
  ];
  for (const [when, change, words] of broken) {
    it(`is not closed when ${when}`, () => {
      expect(judge({ ...CLOSED, ...change }).join()).toContain(words);
    });
  }
});
