import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  sampleCatalog,
  sampleCredential,
  sampleModel,
  sampleRoute,
  sampleVendor,
} from '../../test/support/samples.ts';
import { PROTOCOLS } from '../kernel/protocol-name.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { PROBES_AT_ONCE } from '../operations/bounds.ts';
import type { UpstreamClient, UpstreamRequest } from './contract.ts';
import { type Probe, Prober, type ProbeTarget } from './probe.ts';

/** Sends nothing and remembers what it was to send; `answer` ends the last one. */
class DeafClient implements UpstreamClient {
  readonly requests: UpstreamRequest[] = [];
  readonly endings: (() => void)[] = [];

  send(...[request, handler]: Parameters<UpstreamClient['send']>): ReturnType<UpstreamClient['send']> {
    this.requests.push(request);
    this.endings.push(() => handler.onFailure({ kind: 'reset', detail: 'inner words' }));
    return { sent: false, pause: () => {}, resume: () => {}, abort: () => {} };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const NO_CATALOG = sampleCatalog();

function target(changes: Partial<ProbeTarget> = {}): ProbeTarget {
  return { accountId: 1, vendor: sampleVendor(), secret: 'sk-user', baseUrl: undefined, ...changes };
}

const models = fc.array(
  fc.record({
    vendor: fc.constantFrom('a', 'b'),
    protocols: fc.uniqueArray(fc.constantFrom(...PROTOCOLS), { minLength: 1 }),
    hasAddress: fc.boolean(),
    isOn: fc.boolean(),
  }),
  { maxLength: 6 },
);

test('a test uses the secret and address of the tested credential, and no secret of the platform', async () => {
  await fc.assert(
    fc.asyncProperty(models, fc.boolean(), async (rows, hasOwnAddress) => {
      const vendorOf = (code: string) => sampleVendor({ code, baseUrl: `https://vendor-${code}.example` });
      const made = rows.map(({ vendor, protocols, hasAddress, isOn }, place) => {
        const credential = sampleCredential({
          vendorCode: vendor,
          secret: `sk-platform-${place}`,
          baseUrl: hasAddress ? `https://platform-${place}.example` : undefined,
        });
        const route = sampleRoute({ vendor: vendorOf(vendor), credential, protocols });
        return sampleModel({ modelId: `m${place}`, status: isOn ? 'enabled' : 'disabled', routes: [route] });
      });
      const catalog = sampleCatalog({ models: new Map(made.map((model) => [model.modelId, model])) });
      const client = new DeafClient();
      const baseUrl = hasOwnAddress ? 'https://user.example' : undefined;
      const probing = new Prober(client, systemClock).probe(
        target({ vendor: vendorOf('a'), baseUrl }),
        catalog,
      );
      for (const end of client.endings) end();
      const probe = await probing;
      const isKnown = rows.some(
        ({ vendor, protocols, isOn }) =>
          isOn &&
          vendor === 'a' &&
          protocols.some((name) => !['images', 'transcriptions', 'videos'].includes(name)),
      );
      expect(client.requests).toHaveLength(isKnown ? 1 : 0);
      for (const request of client.requests) {
        expect(request.origin).toBe(hasOwnAddress ? 'https://user.example' : 'https://vendor-a.example');
        expect(request.reach).toBe(hasOwnAddress ? 'public' : 'any');
        const sent = `${request.headers.join(' ')} ${request.path} ${Buffer.concat(request.body)}`;
        expect(sent).toContain('sk-user');
        expect(sent).not.toContain('sk-platform');
      }
      expect(JSON.stringify(probe)).not.toContain('inner words');
    }),
  );
});

test('tests run one at a time per account, and few at once for all', async () => {
  const vendor = sampleVendor();
  const model = sampleModel({ routes: [sampleRoute({ vendor })] });
  const catalog = { ...NO_CATALOG, models: new Map([[model.modelId, model]]) };
  const client = new DeafClient();
  const prober = new Prober(client, systemClock);
  const probes: Promise<Probe>[] = [];
  for (let accountId = 1; accountId <= PROBES_AT_ONCE; accountId++) {
    probes.push(prober.probe(target({ accountId, vendor }), catalog));
    expect(await prober.probe(target({ accountId, vendor }), catalog)).toEqual({ kind: 'busy' });
  }
  expect(await prober.probe(target({ accountId: 999, vendor }), catalog)).toEqual({ kind: 'busy' });
  for (const end of client.endings) end();
  expect((await Promise.all(probes)).every(({ kind }) => kind === 'fails')).toBe(true);
  const next = prober.probe(target({ vendor }), catalog);
  client.endings.at(-1)?.();
  expect((await next).kind).toBe('fails');
});
