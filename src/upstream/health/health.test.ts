import { beforeEach, describe, expect, test } from 'vitest';
import { BREAKER_EJECT_MS, BREAKER_EJECT_MS_MAX, HEALTH_ENTRIES_MAX } from '../../bounds.ts';
import type { Credential, CredentialLimits, Route } from '../../catalog/contract.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { type AttemptOutcome, Health, type Ticket } from './health.ts';

interface RouteSketch {
  readonly id?: number;
  readonly credentialId?: number;
  readonly limits?: CredentialLimits;
  readonly owner?: number;
}

function route({ id = 1, credentialId = 1, limits = {}, owner }: RouteSketch = {}): Route {
  const credential: Credential = {
    id: credentialId,
    name: `credential-${credentialId}`,
    vendorCode: 'v',
    secret: 's',
    baseUrl: undefined,
    rateMicro: 100_000_000n,
    limits,
    status: 'enabled',
    ownerAccountId: owner,
  };
  const vendor = {
    code: 'v',
    name: 'V',
    icon: '',
    protocols: ['chat'] as const,
    baseUrl: 'http://v/v1',
    rateMicro: 100_000_000n,
    byok: true,
    customBaseUrl: false,
  };
  return {
    id,
    modelId: 'm',
    vendor,
    credential,
    forwardModelId: 'm',
    protocols: ['chat'],
    priority: 1,
    weight: 1,
    rateMultiplierMicro: 1_000_000n,
    status: 'enabled',
    capabilities: undefined,
  };
}

let clock: ManualClock;
let health: Health;

beforeEach(() => {
  clock = new ManualClock();
  health = new Health(clock);
});

function begin(on: Route, tokens = 0): Ticket {
  const ticket = health.begin(on, tokens);
  expect(ticket).toBeDefined();
  return ticket as Ticket;
}

function attempt(on: Route, outcome: AttemptOutcome, headers: Record<string, string> = {}): void {
  const ticket = begin(on);
  ticket.report(outcome, { headers, body: undefined });
  ticket.end(0);
}

function eject(on: Route): void {
  for (let failure = 0; failure < 5; failure++) attempt(on, 'failure');
  expect(health.condition(on)).toBe('ejected');
}

describe('breaker', () => {
  test('five failures in a row eject a route for 30 s; four and a success do not', () => {
    const one = route();
    for (let failure = 0; failure < 4; failure++) attempt(one, 'failure');
    attempt(one, 'success');
    for (let failure = 0; failure < 4; failure++) attempt(one, 'failure');
    expect(health.condition(one)).toBe('ready');
    attempt(one, 'failure');
    expect(health.condition(one)).toBe('ejected');
    clock.advance(BREAKER_EJECT_MS - 1);
    expect(health.condition(one)).toBe('ejected');
    clock.advance(1);
    expect(health.condition(one)).toBe('ready');
  });

  test.each(['client-error', 'rate-limited', 'unauthorized', 'not-found'] as const)(
    'a vendor that says "%s" is never ejected for it',
    (outcome) => {
      const one = route();
      for (let call = 0; call < 50; call++) attempt(one, outcome, { 'retry-after': '0' });
      expect(health.routeReports()[0]?.breaker).toBe('closed');
    },
  );

  test('five streams that were cut after they began eject a route; one whole stream among them does not', () => {
    const one = route();
    const stream = (outcome: AttemptOutcome): void => {
      const ticket = begin(one);
      clock.advance(100);
      ticket.began();
      clock.advance(100);
      ticket.report(outcome);
      ticket.end(0);
    };
    for (const outcome of ['failure', 'failure', 'failure', 'failure', 'success'] as const) stream(outcome);
    for (let cut = 0; cut < 4; cut++) stream('failure');
    expect(health.condition(one)).toBe('ready');
    stream('failure');
    expect(health.condition(one)).toBe('ejected');
  });

  test('a probe that streams brings the route back with its first event, and its cut counts as one', () => {
    const one = route();
    const early = begin(one);
    clock.advance(1);
    eject(one);
    clock.advance(BREAKER_EJECT_MS);
    early.began();
    const probe = begin(one);
    expect(health.condition(one)).toBe('ejected');
    probe.began();
    expect(health.condition(one)).toBe('ready');
    probe.report('failure');
    expect(health.routeReports()[0]).toMatchObject({ breaker: 'closed', failures: 1, ejections: 1 });
  });

  test('after the ejection a single call goes first and its success brings the route back', () => {
    const one = route();
    eject(one);
    clock.advance(BREAKER_EJECT_MS);
    const probe = begin(one);
    expect(health.condition(one)).toBe('ejected');
    expect(health.routeReports()[0]?.breaker).toBe('probing');
    probe.report('success');
    expect(health.condition(one)).toBe('ready');
    probe.end(0);
    for (let failure = 0; failure < 4; failure++) attempt(one, 'failure');
    expect(health.condition(one)).toBe('ready');
  });

  test('a failed probe ejects again at once, each time for longer, up to the bound', () => {
    const one = route();
    eject(one);
    let ejectMs = BREAKER_EJECT_MS;
    for (let round = 2; round < 20; round++) {
      clock.advance(ejectMs);
      attempt(one, 'failure');
      ejectMs = Math.min(BREAKER_EJECT_MS * round, BREAKER_EJECT_MS_MAX);
      clock.advance(ejectMs - 1);
      expect(health.condition(one)).toBe('ejected');
      clock.advance(1 - ejectMs);
    }
    expect(ejectMs).toBe(BREAKER_EJECT_MS_MAX);
  });

  test('a probe whose client left decides nothing and makes room for another', () => {
    const one = route();
    eject(one);
    clock.advance(BREAKER_EJECT_MS);
    begin(one).end(0);
    expect(health.condition(one)).toBe('ready');
    const probe = begin(one);
    expect(health.condition(one)).toBe('ejected');
    probe.end(0);
  });

  test('calls begun before the ejection neither bring the route back nor lengthen it', () => {
    const one = route();
    const early = begin(one);
    const late = begin(one);
    clock.advance(10);
    eject(one);
    early.report('success');
    expect(health.condition(one)).toBe('ejected');
    late.report('failure');
    clock.advance(BREAKER_EJECT_MS);
    expect(health.condition(one)).toBe('ready');
    expect(health.routeReports()[0]?.ejections).toBe(1);
  });

  test('a long time without failure makes the next ejection a short one', () => {
    const one = route();
    eject(one);
    clock.advance(BREAKER_EJECT_MS);
    attempt(one, 'success');
    clock.advance(BREAKER_EJECT_MS_MAX + 1);
    attempt(one, 'success');
    eject(one);
    clock.advance(BREAKER_EJECT_MS);
    expect(health.condition(one)).toBe('ready');
  });

  test("a user's own credential on a route does not eject the platform's", () => {
    eject(route({ credentialId: 5, owner: 9 }));
    expect(health.condition(route())).toBe('ready');
  });

  test('an attempt ends once', () => {
    const ticket = begin(route());
    ticket.end(0);
    expect(() => ticket.end(0)).toThrow(/once/);
  });
});

describe('cool-down', () => {
  test('a rate-limited route is skipped until its Retry-After', () => {
    const one = route();
    attempt(one, 'rate-limited', { 'retry-after': '7' });
    expect([health.condition(one), health.freeInMs(one)]).toEqual(['cooling', 7_000]);
    clock.advance(6_999);
    expect(health.condition(one)).toBe('cooling');
    clock.advance(1);
    expect([health.condition(one), health.freeInMs(one)]).toEqual(['ready', 0]);
  });

  test('the wall clock may jump while a route cools', () => {
    const one = route();
    attempt(one, 'rate-limited', { 'retry-after': '7' });
    clock.jump(3_600_000);
    expect(health.condition(one)).toBe('cooling');
  });

  test('a later, shorter wait does not shorten the first', () => {
    const one = route();
    attempt(one, 'rate-limited', { 'retry-after': '60' });
    attempt(one, 'rate-limited', { 'retry-after': '1' });
    expect(health.freeInMs(one)).toBe(60_000);
  });

  test('a 503 that says when to come back cools too, one that does not only counts', () => {
    const one = route();
    attempt(one, 'failure');
    expect(health.condition(one)).toBe('ready');
    attempt(one, 'failure', { 'retry-after': '4' });
    expect(health.freeInMs(one)).toBe(4_000);
    expect(health.routeReports()[0]?.failures).toBe(2);
  });

  test('other routes of the same credential go on: vendors limit by model', () => {
    attempt(route({ id: 1 }), 'rate-limited', { 'retry-after': '60' });
    expect(health.condition(route({ id: 2 }))).toBe('ready');
  });
});

describe('refused credentials', () => {
  test('a platform credential that the vendor refuses is suspect for a minute, on all its routes', () => {
    attempt(route({ id: 1 }), 'unauthorized');
    expect(health.condition(route({ id: 2 }))).toBe('suspect');
    expect(health.credentialReports()).toEqual([
      { credentialId: 1, name: 'credential-1', active: 0, suspect: true, refusals: 1 },
    ]);
    clock.advance(60_000);
    expect(health.condition(route({ id: 2 }))).toBe('ready');
  });

  test('a success clears the suspicion, and so does the first event of a stream', () => {
    attempt(route(), 'unauthorized');
    attempt(route(), 'success');
    expect(health.condition(route())).toBe('ready');
    expect(health.credentialReports()[0]?.refusals).toBe(1);
    attempt(route(), 'unauthorized');
    begin(route()).began();
    expect(health.condition(route())).toBe('ready');
  });

  test("a user's own credential is not our business", () => {
    const own = route({ owner: 9 });
    attempt(own, 'unauthorized');
    expect(health.condition(own)).toBe('ready');
  });
});

describe("a credential's own limits", () => {
  test('no more calls run at once than the limit, and each ended call makes room', () => {
    const one = route({ limits: { concurrency: 3 } });
    const tickets = [begin(one), begin(one), begin(one)];
    expect(health.begin(one, 0)).toBeUndefined();
    expect(health.condition(one)).toBe('at-limit');
    tickets[1]?.end(0);
    expect(health.condition(one)).toBe('ready');
    expect(health.begin(one, 0)).toBeDefined();
    expect(health.begin(one, 0)).toBeUndefined();
  });

  test('the limits of a credential count over all its routes', () => {
    const limits = { rpm: 2 };
    begin(route({ id: 1, limits })).end(0);
    begin(route({ id: 2, limits })).end(0);
    expect(health.condition(route({ id: 3, limits }))).toBe('at-limit');
    expect(health.condition(route({ id: 3, credentialId: 2, limits }))).toBe('ready');
  });

  test('requests count in minutes that begin at first use', () => {
    const one = route({ limits: { rpm: 2 } });
    clock.advance(12_345);
    begin(one).end(0);
    clock.advance(59_000);
    begin(one).end(0);
    expect(health.begin(one, 0)).toBeUndefined();
    expect(health.freeInMs(one)).toBe(1_000);
    clock.advance(1_000);
    begin(one).end(0);
  });

  test('tokens count as estimated, then as used', () => {
    const one = route({ limits: { tpm: 1_000 } });
    const first = begin(one, 600);
    expect(health.begin(one, 500)).toBeUndefined();
    first.end(200);
    const second = begin(one, 700);
    second.end(1_500);
    expect(health.condition(one)).toBe('at-limit');
    clock.advance(60_000);
    expect(health.condition(one)).toBe('ready');
  });

  test('a call larger than the whole limit passes in an empty minute, alone', () => {
    const one = route({ limits: { tpm: 1_000 } });
    begin(one, 5_000).end(5_000);
    expect(health.begin(one, 1)).toBeUndefined();
  });

  test('a correction does not reach into the next minute', () => {
    const one = route({ limits: { tpm: 1_000 } });
    const long = begin(one, 10);
    clock.advance(60_000);
    begin(one, 10).end(10);
    long.end(1_000_000);
    expect(health.condition(one)).toBe('ready');
  });
});

test('what is remembered is bounded, and what runs is not forgotten', () => {
  const running = begin(route({ id: 0, credentialId: 0 }));
  for (let id = 1; id < HEALTH_ENTRIES_MAX + 50; id++) attempt(route({ id, credentialId: id }), 'success');
  expect(health.routeReports().length).toBe(HEALTH_ENTRIES_MAX);
  expect(health.credentialReports().length).toBe(HEALTH_ENTRIES_MAX);
  expect(health.credentialReports().find(({ credentialId }) => credentialId === 0)?.active).toBe(1);
  running.end(0);
});

test('a credential that an account hosts neither marks, ejects nor crowds out what is the platform’s', () => {
  const [house, theirs] = [route(), route({ credentialId: 2, owner: 7 })];
  attempt(house, 'success');
  eject(theirs);
  attempt(theirs, 'unauthorized');
  expect(health.condition(house)).toBe('ready');
  for (let id = 3; id < HEALTH_ENTRIES_MAX + 50; id++) {
    attempt(route({ credentialId: id, owner: id }), 'success');
  }
  const reports = [...health.routeReports(), ...health.credentialReports()];
  expect(reports.map(({ credentialId }) => credentialId)).toEqual([1, 1]);
});
