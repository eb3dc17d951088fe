import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOW_SHARED, type Need, needs } from '../../../test/needs.ts';
import { sharedFolder } from '../../../test/prerequisites.ts';
import { CATALOG_PROBLEMS_MAX } from '../../bounds.ts';
import { parseCatalog } from './file.ts';
import { formatProblem } from './problems.ts';

const ENVIRONMENT = {
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
  GEMINI_API_KEY: 'AIza',
  OPERATOR_PASSWORD: 'operator password',
  USER_PASSWORD: 'user password',
};

function problemsOf(text: string): string[] {
  const result = parseCatalog(text, ENVIRONMENT);
  return result.kind === 'invalid' ? result.problems.map(formatProblem) : [];
}

function documentOf(text: string) {
  const result = parseCatalog(text, ENVIRONMENT);
  if (result.kind === 'invalid') throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.document;
}

const example = join(sharedFolder, 'catalog.example.yaml');
const EXAMPLE: Need = { name: 'the example of a catalogue', isMet: existsSync(example), how: HOW_SHARED };

describe('a catalogue file', () => {
  it('that is the example of the contract is accepted whole', needs(EXAMPLE), () => {
    const document = documentOf(readFileSync(example, 'utf8'));
    expect(document.vendors.map((vendor) => vendor.code)).toEqual(['openai', 'anthropic', 'google']);
    expect(document.credentials.map((credential) => credential.secret)).toEqual([
      'sk-openai',
      'sk-anthropic',
      'AIza',
    ]);
    expect(document.models.map((model) => model.billingModes)).toEqual([1, 1, 2]);
    expect(document.policies[1]?.windows[3]).toEqual({
      dimension: 'amount',
      seconds: 18_000,
      limit: 50_000_000n,
    });
    expect(document.accounts[1]).toMatchObject({
      password: 'user password',
      creditsMicro: 50_000_000_000n,
      subscription: { planCode: 'PRO', days: 30 },
    });
  });

  it('may be empty', () => {
    for (const text of ['', '# nothing\n', '---\n', 'vendors:\n', '{}']) {
      expect(documentOf(text)).toMatchObject({
        systemRateMicro: undefined,
        defaults: undefined,
        vendors: [],
      });
    }
  });

  it('that is not a map is refused', () => {
    for (const text of ['text', '[]', '1']) expect(problemsOf(text)[0]).toContain('must be a map');
  });

  it('has every problem reported at once, in the order of its lines', () => {
    const problems = problemsOf(`
vendors:
  - { code: openai, protocol: chat, base_url: "ftp://x", rate: cheap }
credentials:
  - { name: main, vendor: opnai, secret: "\${NOT_SET}" }
models:
  - model_id: m
    routes: [{ vendor: opnai, credential: nobody, weight: 0 }]
sytem_rate: 100
`);
    const expected = [
      'vendors[0].protocol: unknown key "protocol"',
      'vendors[0].protocols: is required',
      'vendors[0].base_url: must be an http or https address',
      'vendors[0].rate: must be a decimal',
      'credentials[0].secret: the environment variable NOT_SET is not set (line 5)',
      'credentials[0].vendor: unknown vendor "opnai" (line 5)',
      'models[0].routes[0].weight: must be a whole number from 1',
      'models[0].routes[0].vendor: unknown vendor "opnai" (line 8)',
      'models[0].routes[0].credential: unknown credential "nobody" (line 8)',
      'sytem_rate: unknown key "sytem_rate" (known: system_rate, defaults,',
    ];
    expect(problems).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it('has no model of dots alone, which would be another address', () => {
    const problems = problemsOf(`
vendors: [{ code: v, protocols: [chat], base_url: "http://v" }]
credentials: [{ name: c, vendor: v, secret: s }]
models:
  - model_id: ..
  - { model_id: ..., routes: [{ vendor: v, credential: c, forward_model_id: . }] }
`);
    const expected = [
      'models[0].model_id: must be a name',
      'models[1].routes[0].forward_model_id: must be a name',
    ];
    expect(problems).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it('has an unknown protocol reported once, and one that stands twice', () => {
    const problems = problemsOf(`
vendors:
  - { code: a, protocols: [chat, smoke], base_url: "http://a" }
  - { code: b, protocols: [chat, [chat], chat], base_url: "http://b" }
  - { code: c, protocols: [], base_url: "http://c" }
`);
    const expected = [
      'vendors[0].protocols[1]: must be one of chat',
      'vendors[1].protocols[1]: must be',
      'vendors[1].protocols: must name at least one, and none twice',
      'vendors[2].protocols: must name at least one, and none twice',
    ];
    expect(problems).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it('has every problem of capabilities reported, on models and on routes', () => {
    const problems = problemsOf(`
vendors: [{ code: v, protocols: [chat], base_url: "http://v" }]
credentials: [{ name: c, vendor: v, secret: s }]
models:
  - model_id: m
    capabilities: { thinkingOff: true, thinking: hard, efforts: [low, low], max_output_tokens: 0 }
    routes:
      - { vendor: v, credential: c, capabilities: { sampling: some, prefill: maybe, efforts: [huge] } }
      - { vendor: v, credential: c, forward_model_id: n, capabilities: { budget_tokens_min: 2, budget_tokens_max: 1 } }
      - { vendor: v, credential: c, forward_model_id: o, capabilities: [prefill] }
`);
    const expected = [
      'models[0].capabilities.thinkingOff: unknown key "thinkingOff" (known: thinking, thinking_off,',
      'models[0].capabilities.thinking: must be one of none, effort, adaptive, budget, level (line 6)',
      'models[0].capabilities.efforts: must name none twice',
      'models[0].capabilities.max_output_tokens: must be a whole number from 1',
      'models[0].routes[0].capabilities.efforts[0]: must be one of none, minimal, low',
      'models[0].routes[0].capabilities.sampling: must be one of all, one-of, none (line 8)',
      'models[0].routes[0].capabilities.prefill: must be true or false',
      'models[0].routes[1].capabilities: budget_tokens_min must not be above budget_tokens_max (line 9)',
      'models[0].routes[2].capabilities: must be a map with the keys thinking,',
    ];
    expect(problems).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it('may have empty capabilities, which are left out', () => {
    const [model] = documentOf(
      'models: [{ model_id: m, capabilities: {} }, { model_id: n, capabilities: }]',
    ).models;
    expect(model?.capabilities).toBeUndefined();
  });

  it('with very many problems has the first ones listed and the rest counted', () => {
    const problems = problemsOf(`nodes: [${Array(500).fill('{ name: 1 }').join(', ')}]`);
    expect(problems).toHaveLength(CATALOG_PROBLEMS_MAX + 1);
    expect(problems.at(-1)).toBe('900 more problems');
  });
});
