import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../kernel/time/clock.ts';
import type { Grant, Grantor, UpstreamClient, UpstreamHandler } from '../contract.ts';
import { formRequest, readBearer } from './bearer.ts';
import { CLOUD_TOKEN_RETRY_MS, CLOUD_TOKENS_MAX } from './bounds.ts';
import { Grants, NoGrant } from './grants.ts';

const LIFE_MS = 3_600_000;

/** A vendor that answers when it is told to. */
class TokenVendor implements UpstreamClient {
  readonly waiting: UpstreamHandler[] = [];
  asked = 0;

  send(_request: unknown, handler: UpstreamHandler) {
    this.asked++;
    this.waiting.push(handler);
    return { sent: true, pause: () => {}, resume: () => {}, abort: () => {} };
  }

  async close(): Promise<void> {}

  async answer(status: number, value: unknown): Promise<void> {
    // A request is sent in a later turn.
    await settle();
    for (const handler of this.waiting.splice(0)) {
      handler.onHead({ status, headers: {} });
      handler.onData(Buffer.from(JSON.stringify(value)));
      handler.onEnd();
    }
    await settle();
  }

  grant(token: string): Promise<void> {
    return this.answer(200, { access_token: token, expires_in: LIFE_MS / 1_000 });
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const grantor = (name = 'one'): Grantor => ({
  name,
  request: () => formRequest('https://login.example/token', { client_secret: 'very-secret' }),
  read: readBearer,
});

function world() {
  const vendor = new TokenVendor();
  const clock = new ManualClock();
  return { vendor, clock, grants: new Grants(vendor, clock) };
}

describe('a token of a cloud', () => {
  it('is requested once for many calls at once, and kept', async () => {
    const { vendor, grants } = world();
    const calls = Array.from({ length: 50 }, () => grants.get(grantor()));
    await vendor.grant('first');
    const got = await Promise.all(calls);
    expect(new Set(got.map(({ bearer }) => bearer))).toEqual(new Set(['first']));
    expect(vendor.asked).toBe(1);
    // From then on no call waits.
    expect(grants.get(grantor())).toMatchObject({ bearer: 'first' });
  });

  it('is renewed ahead of its end, once, while calls go on with the old one', async () => {
    const { vendor, clock, grants } = world();
    const first = grants.get(grantor());
    await vendor.grant('first');
    await first;
    clock.advance(LIFE_MS - 5 * 60_000 - 1);
    expect(grants.get(grantor())).toMatchObject({ bearer: 'first' });
    await settle();
    expect(vendor.asked).toBe(1);
    clock.advance(2);
    for (let call = 0; call < 20; call++) expect(grants.get(grantor())).toMatchObject({ bearer: 'first' });
    await vendor.grant('second');
    expect(vendor.asked).toBe(2);
    expect(grants.get(grantor())).toMatchObject({ bearer: 'second' });
  });

  it('stays in use if its renewal fails, which is tried again after a while and not per call', async () => {
    const { vendor, clock, grants } = world();
    const first = grants.get(grantor());
    await vendor.grant('first');
    await first;
    clock.advance(LIFE_MS - 60_000);
    expect(grants.get(grantor())).toMatchObject({ bearer: 'first' });
    await vendor.answer(500, {});
    for (let call = 0; call < 20; call++) expect(grants.get(grantor())).toMatchObject({ bearer: 'first' });
    await settle();
    expect(vendor.asked).toBe(2);
    clock.advance(CLOUD_TOKEN_RETRY_MS);
    grants.get(grantor());
    await vendor.grant('second');
    expect(grants.get(grantor())).toMatchObject({ bearer: 'second' });
  });

  it('is waited for when it has ended', async () => {
    const { vendor, clock, grants } = world();
    const first = grants.get(grantor());
    await vendor.grant('first');
    await first;
    clock.advance(LIFE_MS);
    const second = grants.get(grantor());
    expect(second).toBeInstanceOf(Promise);
    await vendor.grant('second');
    expect(await second).toMatchObject({ bearer: 'second' });
  });

  it('is replaced once for all calls that the vendor refused it to', async () => {
    const { vendor, grants } = world();
    const first = grants.get(grantor());
    await vendor.grant('first');
    const refused: Grant = await first;
    const calls = Array.from({ length: 20 }, () => grants.replace(grantor(), refused));
    await vendor.grant('second');
    for (const call of calls) expect(await call).toMatchObject({ bearer: 'second' });
    // One that comes late finds the new one.
    expect(await grants.replace(grantor(), refused)).toMatchObject({ bearer: 'second' });
    expect(vendor.asked).toBe(2);
  });

  it('is refused or unreachable, and the failure tells nothing of the secret', async () => {
    const { vendor, grants } = world();
    const failures: [number, unknown, NoGrant['kind']][] = [
      [401, { error: 'invalid_client', error_description: 'very-secret is wrong' }, 'refused'],
      [400, 'very-secret', 'refused'],
      [429, {}, 'unreachable'],
      [503, {}, 'unreachable'],
      [302, {}, 'unreachable'],
      [200, { access_token: 'two words' }, 'unreachable'],
      [200, { access_token: 'x', expires_in: -1 }, 'unreachable'],
    ];
    for (const [status, answer, kind] of failures) {
      const asked = Promise.resolve(grants.get(grantor())).then(
        () => undefined,
        (error: unknown) => error,
      );
      await vendor.answer(status, answer);
      const error = await asked;
      expect(error).toBeInstanceOf(NoGrant);
      expect((error as NoGrant).kind).toBe(kind);
      expect((error as NoGrant).message).not.toContain('very-secret');
    }
  });

  it('is one of a bounded number', async () => {
    const { vendor, grants } = world();
    for (let index = 0; index <= CLOUD_TOKENS_MAX; index++) {
      const asked = grants.get(grantor(`name ${index}`));
      if (index % 100 === 0 || index === CLOUD_TOKENS_MAX) await vendor.grant('one');
      else Promise.resolve(asked).catch(() => undefined);
    }
    const before = vendor.asked;
    const again = grants.get(grantor('name 0'));
    await vendor.grant('other');
    expect(await again).toMatchObject({ bearer: 'other' });
    expect(vendor.asked).toBe(before + 1);
  });
});
