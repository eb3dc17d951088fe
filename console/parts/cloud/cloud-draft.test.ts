import { expect, test } from 'vitest';
import {
  addressOf,
  cloudOf,
  cloudVendorCode,
  NO_CLOUD,
  type Preset,
  protocolsFor,
  secretOf,
} from './cloud-draft.ts';

const address = (base_url: string, when: string | null) => ({
  ...{ protocols: ['gemini', 'messages'] as const, base_url, auth_header: 'authorization', site: null, when },
});
const PRESET = {
  code: 'vertex',
  addresses: [
    address('https://{location}-aiplatform.googleapis.com', null),
    address('https://aiplatform.googleapis.com', 'location=global'),
  ],
  cloud: {
    kind: 'vertex',
    fields: [
      { name: 'location', of: 'cloud', required: true, example: 'global' },
      { name: 'project', of: 'cloud', required: false, example: 'one' },
    ],
    secrets: [],
  },
  models: [{ model_id: 'claude-opus-5', forward_model_id: 'claude-opus-5', protocols: ['messages'] }],
} as unknown as Preset;

test('the address of a cloud has its fields, and another one for a value that has its own', () => {
  expect(addressOf(PRESET, {})).toEqual({ protocols: ['gemini', 'messages'], base_url: '' });
  expect(addressOf(PRESET, { location: ' us-east5 ' }).base_url).toBe(
    'https://us-east5-aiplatform.googleapis.com',
  );
  expect(addressOf(PRESET, { location: 'global' }).base_url).toBe('https://aiplatform.googleapis.com');
  expect(cloudOf(PRESET, { location: 'global', project: ' ' })).toEqual({
    kind: 'vertex',
    location: 'global',
  });
});

test('a secret of parts is a JSON object of those that are typed, and empty while one is missing', () => {
  const part = (name: string, required: boolean) => ({ name, required, hidden: true, variable: null });
  const forms = [
    { form: 'aws', variable: null, fixed: null, parts: [part('id', true), part('token', false)] },
    { form: 'key', variable: null, fixed: null, parts: [] },
    { form: 'workload', variable: null, fixed: '{"type":"workload"}', parts: [] },
  ];
  expect(secretOf(forms, NO_CLOUD)).toBe('');
  expect(secretOf(forms, { ...NO_CLOUD, parts: { id: ' a ', token: ' ' } })).toBe('{"id":"a"}');
  expect(secretOf(forms, { ...NO_CLOUD, form: 'key', whole: ' k ' })).toBe('k');
  expect(secretOf(forms, { ...NO_CLOUD, form: 'workload' })).toBe('{"type":"workload"}');
  expect(secretOf([], NO_CLOUD)).toBe('');
});

test('a model is served by what its preset says, else by what its name tells', () => {
  const spoken = ['gemini', 'messages'] as const;
  expect(protocolsFor(PRESET, spoken, 'claude-opus-5')).toEqual(['messages']);
  expect(protocolsFor(PRESET, spoken, 'claude-new')).toEqual(['messages']);
  expect(protocolsFor(PRESET, spoken, 'gemini-new')).toEqual(['gemini']);
  expect(protocolsFor(undefined, ['chat', 'images'], 'any')).toEqual(['chat']);
  expect(protocolsFor(undefined, ['images'], 'any')).toEqual(['images']);
});

test('another region is another vendor, the same one is not', () => {
  const one = { base_url: 'https://one', cloud: { kind: 'vertex', location: 'global' } };
  expect(cloudVendorCode(PRESET, one, [])).toBe('vertex');
  const stored = { code: 'vertex', base_url: 'https://one', cloud: { ...one.cloud, project: null } };
  expect(cloudVendorCode(PRESET, one, [stored])).toBe('vertex');
  const other = { base_url: 'https://two', cloud: { kind: 'vertex', location: 'us-east5' } };
  expect(cloudVendorCode(PRESET, other, [stored])).toBe('vertex-us-east5');
});
