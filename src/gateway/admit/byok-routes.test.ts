import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  sampleAccount,
  sampleCredential,
  sampleModel,
  sampleRoute,
  sampleVendor,
} from '../../../test/support/samples.ts';
import type { Credential, Route } from '../../catalog/contract.ts';
import { addressVendor } from '../../upstream/vendor.ts';
import { byokRoutes } from './byok-routes.ts';

const OWNER = 7;
const own = (changes: Partial<Credential> = {}): Credential =>
  sampleCredential({ id: 90, name: 'mine', secret: 'sk-mine', ownerAccountId: OWNER, ...changes });

function listRoutes(route: Partial<Route>, ...byok: Credential[]): readonly Route[] {
  return byokRoutes(sampleAccount({ id: OWNER, byok }), sampleModel({ routes: [sampleRoute(route)] }));
}

test('a route of the credential’s vendor is served by the account’s record in place of the platform’s', () => {
  const mine = own();
  expect(listRoutes({}, mine)).toEqual([{ ...sampleRoute(), credential: mine }]);
});

test('a disabled credential of the platform does not matter', () => {
  expect(listRoutes({ credential: sampleCredential({ status: 'disabled' }) }, own())).toHaveLength(1);
});

test.each([
  ['the route is disabled', { status: 'disabled' as const }, own()],
  ['the vendor may not be byok', { vendor: sampleVendor({ byok: false }) }, own()],
  ['the credential is disabled', {}, own({ status: 'disabled' })],
  ['the credential is another vendor’s', {}, own({ vendorCode: 'anthropic' })],
  ['the credential is another account’s', {}, own({ ownerAccountId: 8 })],
  ['the credential is the platform’s', {}, own({ ownerAccountId: undefined })],
  ['it has an address of its own and the vendor allows none', {}, own({ baseUrl: 'https://mine.example' })],
])('there is no route when %s', (_name, route, credential) => {
  expect(listRoutes(route, credential)).toEqual([]);
});

test('routes that differ only in the platform’s credential become one route', () => {
  const routes = [sampleRoute({ id: 1 }), sampleRoute({ id: 2, credential: sampleCredential({ id: 2 }) })];
  const other = sampleRoute({ id: 3, forwardModelId: 'another' });
  const account = sampleAccount({ id: OWNER, byok: [own()] });
  const found = byokRoutes(account, sampleModel({ routes: [...routes, other] }));
  expect(found.map(({ id }) => id)).toEqual([1, 3]);
});

test('the routes are the same objects until the credentials or the catalogue change', () => {
  const [model, byok] = [sampleModel(), [own()]];
  const first = byokRoutes(sampleAccount({ id: OWNER, byok }), model);
  expect(byokRoutes(sampleAccount({ id: OWNER, byok, version: 9 }), model)).toBe(first);
  expect(byokRoutes(sampleAccount({ id: OWNER, byok: [...byok] }), model)).not.toBe(first);
});

/** Every secret and every address says whose it is. */
const createPlatformCredential = (id: number, code: string, hasAddress: boolean): Credential =>
  sampleCredential({
    id,
    vendorCode: code,
    secret: `sk-platform-${id}`,
    baseUrl: hasAddress ? `https://platform-${id}.example` : undefined,
  });
const createOwnCredential = (id: number, code: string, hasAddress: boolean): Credential =>
  sampleCredential({
    id,
    vendorCode: code,
    ownerAccountId: OWNER,
    secret: `sk-user-${id}`,
    baseUrl: hasAddress ? `https://user-${id}.example` : undefined,
  });

const vendorCode = fc.constantFrom('a', 'b', 'c');
const worlds = fc.record({
  vendors: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
  routes: fc.array(fc.tuple(vendorCode, fc.boolean(), fc.boolean()), { maxLength: 6 }),
  byok: fc.array(fc.tuple(vendorCode, fc.boolean()), { maxLength: 5 }),
});

test('a secret goes to the address of its own record or its vendor, never to that of another record', () => {
  fc.assert(
    fc.property(worlds, ({ vendors, routes, byok }) => {
      const createVendor = (code: string) => {
        const place = 'abc'.indexOf(code);
        return sampleVendor({
          code,
          baseUrl: `https://vendor-${code}.example`,
          byok: vendors[place] ?? false,
          customBaseUrl: vendors[place + 3] ?? false,
        });
      };
      const model = sampleModel({
        routes: routes.map(([code, enabled, hasAddress], place) =>
          sampleRoute({
            id: place + 1,
            vendor: createVendor(code),
            credential: createPlatformCredential(place + 1, code, hasAddress),
            status: enabled ? 'enabled' : 'disabled',
          }),
        ),
      });
      const credentials = byok.map(([code, hasAddress], place) =>
        createOwnCredential(100 + place, code, hasAddress),
      );
      const account = sampleAccount({ id: OWNER, byok: credentials });
      for (const route of [...model.routes, ...byokRoutes(account, model)]) {
        const call = {
          route,
          protocol: 'chat',
          action: 'generate',
          contentType: 'application/json',
          query: '',
        } as const;
        const { origin, headers, reach } = addressVendor({ ...call, clientHeaders: {} });
        const [, whose, id] = /sk-(platform|user)-(\d+)/.exec(headers.join(' ')) ?? [];
        const place = new URL(origin).hostname;
        expect([`${whose}-${id}.example`, `vendor-${route.vendor.code}.example`]).toContain(place);
        // Where a user says we should go, we go with the guard; and nowhere without one of his own secrets.
        expect(reach).toBe(place.startsWith('user-') ? 'public' : 'any');
        if (place.startsWith('user-')) expect(route.vendor.customBaseUrl).toBe(true);
        if (whose === 'user') expect(route.vendor.byok).toBe(true);
      }
    }),
  );
});
