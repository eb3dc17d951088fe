import { describe, expect, it } from 'vitest';
import { encodeWord, findDirective, parseDirective, parseFault } from './directive.ts';

describe('a directive', () => {
  it('is the last one in the prompt', () => {
    const found = findDirective('[[sim tag=a tokens=3]] and [[sim tag=b]] later', {}, '');
    expect(found.tag).toBe('b');
    expect(found.tokens).toBeUndefined();
  });

  it('is overruled by headers, and both by the script', () => {
    const headers = { 'x-sim-tokens': '5', 'x-sim-pace': '9' };
    const found = findDirective('[[sim tokens=3 chunk=2]]', headers, 'pace=1');
    expect([found.tokens, found.paceMs, found.chunkTokens]).toEqual([5, 1, 2]);
  });

  it('reads numbers, flags, lists and faults', () => {
    const found = parseDirective(
      'tool=a,b thinking=40 refuse cut=50 fault=reset@12,bom usage=none crlf unicode',
    );
    expect(found).toMatchObject({
      tools: ['a', 'b'],
      thinking: 40,
      ending: 'refuse',
      cutTokens: 50,
      usage: 'none',
      unicode: 'unicode',
      faults: [{ name: 'reset', at: 12 }, { name: 'bom' }, { name: 'crlf' }],
    });
  });

  it('ignores malformed numbers and unknown usage fields', () => {
    expect(parseDirective('tokens=-1 chunk=0 usage=odd')).toMatchObject({ chunkTokens: 1, usage: 'exact' });
    expect(parseDirective('tokens=1e9').tokens).toBeUndefined();
  });
});

describe('a value with spaces and brackets', () => {
  it('arrives unchanged', () => {
    const text = '{"cmd":"ls [a b]\\n 100%"}';
    const found = findDirective(`[[sim tool=run args=${encodeWord(text)} tokens=2]]`, {}, '');
    expect([found.callArguments, found.tokens]).toEqual([text, 2]);
  });

  it('is left out when its percent signs are wrong', () => {
    expect(parseDirective('args=%zz').callArguments).toBeUndefined();
  });
});

describe('a fault', () => {
  it('has a place and a value', () => {
    expect(parseFault('pause@5:31000')).toEqual({ name: 'pause', at: 5, value: '31000' });
    expect(parseFault('pause@5t:300')).toEqual({ name: 'pause', at: 5, unit: 'tokens', value: '300' });
    expect(parseFault('status@429:retry-after=10')).toEqual({
      name: 'status',
      at: 429,
      value: 'retry-after=10',
    });
  });
});
