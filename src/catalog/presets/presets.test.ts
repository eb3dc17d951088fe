import { describe, expect, it } from 'vitest';
import { getCapabilities } from '../../protocol/capability/table.ts';
import { readCloudSecret } from '../cloud.ts';
import { CLOUD_KINDS } from '../contract.ts';
import { parseCatalog } from '../file/file.ts';
import { cloudQuestions, secretForms } from './cloud-questions.ts';
import { inYuan } from './in-yuan.ts';
import type { ListPrices, Preset } from './preset.ts';
import { findPreset, findPresetOfVendor, presetsWithVariable, readPreset, vendorPresets } from './presets.ts';

const WANTED = [
  ...['openai', 'anthropic', 'google', 'openrouter', 'deepseek', 'alibaba', 'moonshot', 'zhipu', 'minimax'],
  ...['bytedance', 'tencent', 'baidu', 'siliconflow', 'stepfun', 'mistral', 'xai', 'groq', 'cerebras'],
  ...['together', 'fireworks', 'cohere', 'perplexity', 'nvidia', 'ollama', 'vllm', 'lm-studio'],
  ...['azure', 'bedrock', 'vertex'],
];

describe('the files of vendors', () => {
  it('are all readable, and every wanted vendor has one', () => {
    const codes = vendorPresets().map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(WANTED.filter((code) => !codes.includes(code))).toEqual([]);
    expect(codes.slice(0, 3)).toEqual(['openai', 'anthropic', 'google']);
  });

  it('are read for the default catalogue as far as they have a variable', () => {
    const wanted = vendorPresets().filter(({ variable }) => variable !== undefined);
    expect(presetsWithVariable()).toEqual(wanted);
    expect(wanted.map(({ code }) => code)).toEqual(['openai', 'anthropic', 'google']);
  });

  it('are found for vendors that were made from them', () => {
    const found = (code: string) => findPresetOfVendor(code)?.code;
    expect(['bedrock-eu-west-1', 'azure-swedish', 'deepseek-messages', 'openai'].map(found)).toEqual([
      ...['bedrock', 'azure', 'deepseek', 'openai'],
    ]);
    expect(['openai-proxy', 'nobody'].map(found)).toEqual([undefined, undefined]);
  });

  it.each(vendorPresets())('$code has addresses that a catalogue takes, and models named once', (preset) => {
    expect(preset.addresses.length).toBeGreaterThan(0);
    const questions = cloudQuestions(preset);
    for (const { protocols, baseUrl, when } of preset.addresses) {
      const isAsked = (name: string) =>
        name === when?.split('=')[0] || name === 'region' || name === 'location';
      const fields = questions?.fields.filter(({ of, name }) => of === 'cloud' && isAsked(name)) ?? [];
      const cloud = questions && {
        ...{ kind: questions.kind },
        ...Object.fromEntries(fields.map(({ name, example }) => [name, example])),
      };
      const filled = baseUrl.replace(/\{[a-z_]+\}/g, 'one');
      const yaml = JSON.stringify({ vendors: [{ code: 'one', protocols, base_url: filled, cloud }] });
      expect(parseCatalog(yaml, {}).kind, yaml).toBe('catalog');
    }
    const ids = preset.models.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(preset.keysUrl === undefined || URL.canParse(preset.keysUrl)).toBe(true);
    expect(preset.needsKey).toBe(preset.keysUrl !== undefined);
  });

  it.each(vendorPresets())(
    '$code has a day, a source and both prices of tokens, or that of an item, for every figure',
    (preset) => {
      for (const { id, prices } of preset.models) {
        if (prices === undefined) continue;
        expect(prices.asOf, id).toMatch(/^202\d-(0\d|1[0-2])-[0-3]\d$/);
        const { input, output, image, video } = prices.amounts;
        expect([input && output, image, video].filter((price) => price !== undefined).length, id).toBe(1);
        expect(prices.site === undefined || preset.addresses.some(({ site }) => site === prices.site)).toBe(
          true,
        );
      }
    },
  );

  it('say of a refused field only what a converted call does not send', () => {
    for (const { code, quirks, models } of vendorPresets()) {
      if (!quirks.refuses.includes('max_completion_tokens')) continue;
      for (const { id } of models) {
        expect(getCapabilities('chat', id).maxCompletionTokens, `${code} ${id}`).toBe(false);
      }
    }
  });

  it('are refused with a price that has no day, a wrong field, or another name', () => {
    const text =
      'code: one\nname: One\ntried: nothing\naddresses: [{ protocols: [chat], base_url: "http://one" }]\n';
    expect(readPreset(text, 'one.yaml')).toMatchObject({ code: 'one', needsKey: true, models: [] });
    expect(() => readPreset(text, 'two.yaml')).toThrow('two.yaml has the code one');
    expect(() => readPreset(`${text}colour: red\n`, 'one.yaml')).toThrow('unknown key "colour"');
    const priced = `${text}models: [{ id: m, name: M, prices: { input: "1", output: "2" } }]\n`;
    expect(() => readPreset(priced, 'one.yaml')).toThrow('m has prices');
    const dated = `${priced}prices: { currency: USD, as_of: "2026-08-05", source: price-map }\n`;
    expect(readPreset(dated, 'one.yaml').models[0]?.prices?.currency).toBe('USD');
    expect(() => readPreset(dated.replace('"1"', '"one"'), 'one.yaml')).toThrow('must be a decimal');
  });
});

describe('what a cloud is asked for', () => {
  it('is what its address and its kind need, and nothing for other vendors', () => {
    expect(vendorPresets().filter((preset) => cloudQuestions(preset) !== undefined).length).toBe(3);
    const asked = (code: string) => {
      const { fields = [], secrets = [] } = cloudQuestions(findPreset(code) as Preset) ?? {};
      return [
        ...fields.map(({ name, isRequired }) => (isRequired ? name : `${name}?`)),
        secrets.map(({ name }) => name).join(' '),
      ];
    };
    expect(asked('azure')).toEqual(['resource', 'api_version?', 'token_url?', 'key entra']);
    expect(asked('bedrock')).toEqual(['region', 'token_url?', 'aws key']);
    expect(asked('vertex')).toEqual(['location', 'project?', 'token_url?', 'service-account workload']);
  });

  it('has names of parts that the secret of the cloud takes', () => {
    for (const kind of CLOUD_KINDS) {
      for (const { name, parts, fixed } of secretForms(kind)) {
        if (parts.length === 0 && fixed === undefined) continue;
        const values = parts.map((part) => [
          part.name,
          part.name === 'role_arn' ? 'arn:aws:iam::1:role/one' : 'one',
        ]);
        const secret = fixed ?? JSON.stringify(Object.fromEntries(values));
        expect(readCloudSecret(kind, secret).kind, secret).toBe(name);
      }
    }
  });
});

describe('a list price in yuan', () => {
  const dollars = findPreset('deepseek')?.models[1]?.prices as ListPrices;

  it('is list price × rate × margin, rounded up at six decimals', () => {
    expect(dollars.amounts).toEqual({ input: '0.435', output: '0.87', cache_input: '0.003625' });
    expect(inYuan(dollars, { rate: '7.1853', margin: '1.25' })).toMatchObject({
      ...{ input: '3.907007', output: '7.814014', cache_input: '0.032559', cache_write: null },
    });
  });

  it('needs a rate for dollars, and none for yuan', () => {
    expect(inYuan(dollars, { rate: undefined, margin: '1' })).toBeUndefined();
    expect(inYuan({ ...dollars, currency: 'CNY' }, { rate: undefined, margin: '1' })?.input).toBe('0.435');
    expect(inYuan(undefined, { rate: '7', margin: '1' })).toBeUndefined();
  });
});
