import { expect, test } from 'vitest';
import type { Preset } from './vendor-choice.ts';
import { type Place, vendorCode } from './vendor-place.ts';

const address = (...protocols: string[]) => ({ protocols, base_url: 'https://one', site: null, when: null });
const preset = { code: 'deepseek', addresses: [address('chat'), address('messages')] } as unknown as Preset;
const placeOf = (part: Partial<Place>): Place => ({
  ...{ address: address('chat'), cloud: undefined, name: '', ...part },
});

test('an address with other protocols is a vendor of its own, another site is not', () => {
  const known = new Map([['deepseek', { base_url: 'https://elsewhere' }]]);
  expect(vendorCode(preset, placeOf({}), known)).toBe('deepseek');
  expect(vendorCode(preset, placeOf({ address: address('messages') }), known)).toBe('deepseek-messages');
});

test('a region is a vendor of its own, and the same one is found again', () => {
  const cloud = { kind: 'bedrock', region: 'us-east-1' };
  const place = placeOf({ cloud, name: 'us-east-1' });
  const stored = {
    base_url: 'https://one',
    cloud: { region: 'us-east-1', kind: 'bedrock', token_url: null },
  };
  const bedrock = { ...preset, code: 'bedrock' };
  expect(vendorCode(bedrock, place, new Map())).toBe('bedrock');
  expect(vendorCode(bedrock, place, new Map([['bedrock', stored]]))).toBe('bedrock');
  const other = { ...stored, base_url: 'https://two' };
  const taken = new Map([['bedrock', other]]);
  expect(vendorCode(bedrock, place, taken)).toBe('bedrock-us-east-1');
  taken.set('bedrock-us-east-1', other);
  expect(vendorCode(bedrock, place, taken)).toBe('bedrock-us-east-1-2');
});
