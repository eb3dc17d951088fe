import { describe, expect, it } from 'vitest';
import { readPriceFile } from './price-file.ts';

describe('a file of prices', () => {
  it('is one of ours, in yuan or dollars', () => {
    const text = 'models:\n  - { model_id: gpt-5, input: "10", output: "30", cache_input: "1" }\n';
    expect(readPriceFile(text)).toEqual({
      ...{ kind: 'figures', format: 'tollgate' },
      figures: [
        {
          ...{ provider: undefined, model: 'gpt-5', currency: 'CNY', isTiered: false },
          amounts: { input: '10', output: '30', cache_input: '1' },
        },
      ],
    });
    expect(readPriceFile(`currency: USD\n${text}`)).toMatchObject({ figures: [{ currency: 'USD' }] });
  });

  it('is the public price map, by what it holds', () => {
    const entry = {
      ...{ litellm_provider: 'openai', mode: 'chat' },
      ...{ input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
    };
    expect(readPriceFile(JSON.stringify({ 'gpt-5': entry }))).toMatchObject({
      ...{ kind: 'figures', format: 'litellm' },
      figures: [{ provider: 'openai', model: 'gpt-5' }],
    });
  });

  it.each([
    ['{}', 'is required'],
    ['a: [', 'Flow sequence'],
    ['models: [{ model_id: m, input: "x" }]', 'must be a decimal'],
    ['models: [{ model_id: m, input: 3 }]', 'must be a text'],
    [`models: [{ model_id: "${['$', '{HOME}'].join('')}" }]`, 'HOME is not set'],
    [JSON.stringify({ 'gpt-5': { litellm_provider: 'openai' } }), 'unknown key "gpt-5"'],
  ])('is refused as %s', (text, message) => {
    const read = readPriceFile(text);
    if (read.kind !== 'invalid') throw new Error('it is not valid');
    expect(read.problems.map((problem) => problem.message).join('; ')).toContain(message);
  });
});
