import { expect, test } from 'vitest';
import {
  sampleAccount,
  sampleCatalog,
  sampleCredential,
  sampleFunds,
  sampleModel,
  samplePlan,
  sampleRoute,
  sampleVendor,
} from '../../../test/support/samples.ts';
import type { Account } from '../../accounts/contract.ts';
import type { Model } from '../../catalog/contract.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { type Eligibility, firstOption, nextOption } from './serving-options.ts';

function createModel(modelId: string, code: string, changes: Partial<Model> = {}): Model {
  const vendor = sampleVendor({ code, protocols: ['chat'] });
  const credential = sampleCredential({ vendorCode: code });
  const routes = [sampleRoute({ modelId, vendor, credential, protocols: ['chat'] })];
  return sampleModel({ modelId, routes, ...changes });
}

const MODELS = [
  createModel('a', 'openai'),
  createModel('f', 'anthropic'),
  createModel('off', 'openai', { status: 'disabled' }),
  createModel('strict', 'openai', { restriction: { kind: 'verification', level: 2 } }),
];
const catalog = sampleCatalog({ models: new Map(MODELS.map((model) => [model.modelId, model])) });
const mine = (vendorCode: string) => sampleCredential({ id: 90, vendorCode, ownerAccountId: 7 });
const broke = { apiBilling: false, funds: sampleFunds({ creditsMicro: 0n }) };

function createEligibility(
  account: Partial<Account>,
  modelId = 'a',
  protocol: Protocol = 'chat',
): Eligibility {
  const moment = { nowMs: 1_000, month: '2026-01' };
  return { account: sampleAccount(account), catalog, modelId, protocol, moment };
}

/** `a by us`, `a by its own`, in order; or the code of the refusal. */
function listOptions(eligibility: Eligibility): string[] {
  const first = firstOption(eligibility);
  if (isRefusal(first)) return [String(first.error.code)];
  const said: string[] = [];
  for (
    let option: typeof first | undefined = first;
    option !== undefined;
    option = nextOption(eligibility, option)
  ) {
    said.push(`${option.model.modelId} ${option.payment === undefined ? 'byok' : 'paid'}`);
    if (said.length > 9) throw new Error('options without end');
  }
  return said;
}

const falling = (fallbackModel: string, byokFallback = false) => ({
  preference: { fallbackModel, byokFallback },
});

test.each([
  ['an ordinary account has one', {}, ['a paid']],
  ['a fallback model comes second', falling('f'), ['a paid', 'f paid']],
  ['an own credential serves alone', { byok: [mine('openai')] }, ['a byok']],
  ['it needs nobody who pays us', { byok: [mine('openai')], ...broke }, ['a byok']],
  ['one for another vendor does not serve', { byok: [mine('google')] }, ['a paid']],
  [
    'byok_fallback lets the platform follow',
    { byok: [mine('openai')], preference: { fallbackModel: null, byokFallback: true } },
    ['a byok', 'a paid'],
  ],
  [
    'byok_fallback of an account that cannot pay changes nothing',
    { byok: [mine('openai')], ...broke, preference: { fallbackModel: null, byokFallback: true } },
    ['a byok'],
  ],
  [
    'the fallback model is the account’s own wish: the platform serves it behind an own credential',
    { byok: [mine('openai')], ...falling('f') },
    ['a byok', 'f paid'],
  ],
  [
    'the fallback model is served by own credentials too',
    { byok: [mine('openai'), mine('anthropic')], ...falling('f') },
    ['a byok', 'f byok'],
  ],
  [
    'with byok_fallback all four follow each other',
    { byok: [mine('openai'), mine('anthropic')], ...falling('f', true) },
    ['a byok', 'a paid', 'f byok', 'f paid'],
  ],
  [
    'an own credential for the fallback alone serves it, and the platform does not follow unasked',
    { byok: [mine('anthropic')], ...falling('f') },
    ['a paid', 'f byok'],
  ],
  ['a fallback to the same model is none', falling('a'), ['a paid']],
  ['a fallback that is unknown is none', falling('nowhere'), ['a paid']],
  ['a fallback that is disabled is none', falling('off'), ['a paid']],
  ['a fallback that is not admitted is none', falling('strict'), ['a paid']],
] as const)('%s', (_name, account, options) => {
  expect(listOptions(createEligibility(account as Partial<Account>))).toEqual(options);
});

test('a fallback model without a payer is not an option', () => {
  const windows = [{ seconds: 60, amountMicro: 1n }];
  const plan = samplePlan({ coversModels: ['a'], coverageWindows: windows });
  const subscriptions = [{ id: 1, plan, startsAtMs: 0, endsAtMs: 9_000 }];
  expect(listOptions(createEligibility({ ...broke, subscriptions, ...falling('f') }))).toEqual(['a paid']);
});

test('a call without a payer is 40202, before anything is said about the model', () => {
  expect(listOptions(createEligibility(broke))).toEqual(['40202']);
  expect(listOptions(createEligibility(broke, 'nowhere'))).toEqual(['40202']);
});

test('an unknown or disabled model is 50201 and no fallback serves it', () => {
  expect(listOptions(createEligibility(falling('f'), 'nowhere'))).toEqual(['50201']);
  expect(listOptions(createEligibility(falling('f'), 'off'))).toEqual(['50201']);
});

test('a BYOK credential does not exempt from admission', () => {
  expect(listOptions(createEligibility({ byok: [mine('openai')] }, 'strict'))).toEqual(['40203']);
});

test('a BYOK credential whose vendor cannot serve the protocol leaves the call to the platform', () => {
  expect(listOptions(createEligibility({ byok: [mine('openai')] }, 'a', 'images'))).toEqual(['a paid']);
});
