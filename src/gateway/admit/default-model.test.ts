import { expect, test } from 'vitest';
import { sampleCatalog } from '../../../test/support/samples.ts';
import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { defaultModel } from './default-model.ts';

function model(modelId: string, changes: Partial<Model> = {}, protocol: Protocol = 'moderations'): Model {
  const route = { status: 'enabled', credential: { status: 'enabled' }, protocols: [protocol] };
  return {
    modelId,
    status: 'enabled',
    clientVisible: true,
    routes: [route as unknown as Route],
    ...changes,
  } as Model;
}

const catalogOf = (...models: readonly Model[]): CatalogSnapshot => ({
  ...sampleCatalog(),
  models: new Map(models.map((each) => [each.modelId, each])),
});

test('the only model of moderations is the default, and of no other protocol', () => {
  const catalog = catalogOf(model('a', {}, 'chat'), model('guard'));
  expect(defaultModel('moderations', catalog)).toBe('guard');
  expect(defaultModel('chat', catalog)).toBeUndefined();
  expect(defaultModel('embeddings', catalog)).toBeUndefined();
});

test('of several it is omni-moderation-latest, else the first by its id', () => {
  const several = [model('z'), model('b'), model('omni-moderation-latest')];
  expect(defaultModel('moderations', catalogOf(...several))).toBe('omni-moderation-latest');
  expect(defaultModel('moderations', catalogOf(model('z'), model('b'), model('B')))).toBe('B');
});

test('a model that is disabled, hidden or without a usable route is none', () => {
  const unusable = [
    model('a', { status: 'disabled' }),
    model('omni-moderation-latest', { clientVisible: false }),
    model('c', { routes: [] }),
    model('d', {}, 'chat'),
  ];
  expect(defaultModel('moderations', catalogOf(...unusable))).toBeUndefined();
});
