import { describe, expect, test } from 'vitest';
import {
  answered,
  call,
  encode,
  result,
  said,
  thinking,
  tool,
} from '../../../../test/convert/messages-body.ts';
import type { CapabilityOverrides } from '../../../kernel/capability.ts';
import { NO_SAMPLING, type Thinking, type Turn } from '../../hub/request.ts';

describe('thinking', () => {
  const adaptive: CapabilityOverrides = {
    thinking: 'adaptive',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    sampling: 'none',
  };
  const budget: CapabilityOverrides = { thinking: 'budget', efforts: [], budgetTokensMax: 60_000 };
  const unstoppable: CapabilityOverrides = { ...adaptive, thinkingOff: false };

  test.each<[string, Partial<Thinking>, CapabilityOverrides, object]>([
    [
      'an effort alone does not switch it on',
      { effort: 'high' },
      adaptive,
      { output_config: { effort: 'high' } },
    ],
    ['none is said outright', { effort: 'none' }, adaptive, { thinking: { type: 'disabled' } }],
    [
      'none on a model that cannot stop is little',
      { effort: 'none' },
      unstoppable,
      { output_config: { effort: 'low' } },
    ],
    [
      'efforts are clamped',
      { mode: 'adaptive', effort: 'minimal' },
      adaptive,
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    ],
    [
      'a budget becomes an effort',
      { mode: 'budget', budgetTokens: 8000, show: true },
      adaptive,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    [
      'who wants to see it wants it',
      { show: true },
      adaptive,
      { thinking: { type: 'adaptive', display: 'summarized' } },
    ],
    [
      'an effort becomes a budget',
      { effort: 'medium' },
      budget,
      { thinking: { type: 'enabled', budget_tokens: 8192 } },
    ],
    [
      'a budget is kept',
      { mode: 'budget', budgetTokens: 3000 },
      budget,
      { thinking: { type: 'enabled', budget_tokens: 3000 } },
    ],
    [
      'the least is 1024',
      { mode: 'budget', budgetTokens: 10 },
      budget,
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    ['off is off', { mode: 'off' }, budget, { thinking: { type: 'disabled' } }],
    [
      'high effort without thinking is not said',
      { mode: 'off', effort: 'max' },
      adaptive,
      { thinking: { type: 'disabled' } },
    ],
  ])('%s', (_name, wish, capabilities, expected) => {
    const {
      model: _model,
      max_tokens: _limit,
      messages: _messages,
      ...rest
    } = encode(thinking(wish), capabilities).body;
    expect(rest).toEqual(expected);
  });

  test('is dropped and reported for a model without it', () => {
    const { body, dropped } = encode(thinking({ effort: 'high' }), { thinking: 'none', efforts: [] });
    expect(body.thinking).toBeUndefined();
    expect(dropped).toEqual(['thinking']);
  });

  test('has a budget below the output limit, and is switched off by too small a limit', () => {
    const wish = thinking({ mode: 'budget', budgetTokens: 20_000 });
    expect(encode({ ...wish, maxTokens: 5000 }, budget).body.thinking).toEqual({
      type: 'enabled',
      budget_tokens: 4999,
    });
    const small = encode({ ...wish, maxTokens: 1024 }, budget);
    expect(small.body.thinking).toEqual({ type: 'disabled' });
    expect(small.dropped).toEqual(['thinking']);
  });

  test('with a manual budget is off for a forced tool and for a call that lost its thinking', () => {
    const forced = encode(
      { ...thinking({ effort: 'high' }), tools: [tool(undefined)], toolChoice: { kind: 'required' } },
      budget,
    );
    expect(forced.body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: { type: 'any' } });
    const turns: Turn[] = [said('a'), answered(call()), { role: 'user', parts: [result()] }];
    expect(encode({ ...thinking({ effort: 'high' }), turns }, budget).body.thinking).toEqual({
      type: 'disabled',
    });
    expect(encode({ ...thinking({ mode: 'adaptive' }), turns }, adaptive).body.thinking).toEqual({
      type: 'adaptive',
    });
  });

  test('is never combined with sampling, which depends on the model', () => {
    const sampling = { ...NO_SAMPLING, temperature: 1.5, topP: 0.5, topK: 3 };
    expect(encode({ sampling }, { sampling: 'all' }).body).toMatchObject({
      temperature: 1,
      top_p: 0.5,
      top_k: 3,
    });
    const oneOf = encode({ sampling: { ...sampling, temperature: 0.2 } }, { sampling: 'one-of' });
    expect(oneOf.body).toMatchObject({ temperature: 0.2, top_k: 3 });
    expect(oneOf.body.top_p).toBeUndefined();
    expect(oneOf.dropped).toEqual(['top_p']);
    for (const wish of [{}, thinking({ effort: 'high' })]) {
      const capabilities: CapabilityOverrides = 'thinking' in wish ? budget : { sampling: 'none' };
      const { body, dropped } = encode({ sampling, ...wish }, capabilities);
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('top_k');
      expect(dropped).toEqual(['temperature', 'top_p', 'top_k']);
    }
  });
});
