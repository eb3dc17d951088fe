import { expect, test } from 'vitest';
import { billOfRelease } from './sbom.ts';

const component = (name: string, version: string) => ({ 'bom-ref': `${name}@${version}`, name, version });
const CHECKOUT = {
  bomFormat: 'CycloneDX',
  metadata: {
    component: { ...component('checkout', '0.1.0'), properties: [{ name: 'private', value: 'true' }] },
  },
  components: [
    component('pg', '8.0.0'),
    {
      ...component('react', '19.0.0'),
      scope: 'optional',
      properties: [{ name: 'development', value: 'true' }],
    },
    component('vitest', '5.0.0'),
  ],
  dependencies: [
    { ref: 'checkout@0.1.0', dependsOn: ['pg@8.0.0', 'react@19.0.0', 'vitest@5.0.0'] },
    { ref: 'pg@8.0.0', dependsOn: ['vitest@5.0.0'] },
    { ref: 'vitest@5.0.0', dependsOn: [] },
  ],
};

test('the bill of a release has what is shipped, under its own name and version', () => {
  const bill = billOfRelease(CHECKOUT, '1.0.0', ['pg@8.0.0', 'react@19.0.0']);
  expect(bill).toEqual({
    bomFormat: 'CycloneDX',
    metadata: {
      component: {
        'bom-ref': 'tollgate@1.0.0',
        name: 'tollgate',
        version: '1.0.0',
        purl: 'pkg:npm/tollgate@1.0.0',
      },
    },
    components: [component('pg', '8.0.0'), component('react', '19.0.0')],
    dependencies: [
      { ref: 'tollgate@1.0.0', dependsOn: ['pg@8.0.0', 'react@19.0.0'] },
      { ref: 'pg@8.0.0', dependsOn: [] },
    ],
  });
});

test('a package that the lock file does not know is an error', () => {
  expect(() => billOfRelease(CHECKOUT, '1.0.0', ['pg@9.0.0'])).toThrow('npm sbom does not know pg@9.0.0');
});
