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

describe('the circuit breaker', () => {
  test('ejects a route for 30 s after five failures in a row, and not after four and a success', () => {
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
    'never ejects a vendor for "%s"',
    (outcome) => {
      const one = route();
      for (let call = 0; call < 50; call++) attempt(one, outcome, { 'retry-after': '0' });
      expect(health.routeReports()[0]?.breaker).toBe('closed');
    },
  );

  test('ejects a route after five cut streams, and not with one complete stream among them', () => {
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

  test('brings a route back with the first event of a streamed probe, whose cut counts as a failure', () => {
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

  test('lets a single call go first after the ejection, and its success brings the route back', () => {
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

  test('ejects again at once after a failed probe, each time for longer, up to the bound', () => {
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

  test('ignores a probe whose client left, and allows another', () => {
    const one = route();
    eject(one);
    clock.advance(BREAKER_EJECT_MS);
    begin(one).end(0);
    expect(health.condition(one)).toBe('ready');
    const probe = begin(one);
    expect(health.condition(one)).toBe('ejected');
    probe.end(0);
  });

  test('ignores calls that began before the ejection', () => {
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

  test('makes the next ejection short after a long time without failure', () => {
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

  test('does not eject the platform’s route for a BYOK credential', () => {
    eject(route({ credentialId: 5, owner: 9 }));
    expect(health.condition(route())).toBe('ready');
  });

  test('ends an attempt once', () => {
    const ticket = begin(route());
    ticket.end(0);
    expect(() => ticket.end(0)).toThrow(/once/);
  });
});

describe('a cool-down', () => {
  test('skips a rate-limited route until its Retry-After', () => {
    const one = route();
    attempt(one, 'rate-limited', { 'retry-after': '7' });
    expect([health.condition(one), health.freeInMs(one)]).toEqual(['cooling', 7_000]);
    clock.advance(6_999);
    expect(health.condition(one)).toBe('cooling');
    clock.advance(1);
    expect([health.condition(one), health.freeInMs(one)]).toEqual(['ready', 0]);
  });

  test('is independent of the wall clock', () => {
    const one = route();
    attempt(one, 'rate-limited', { 'retry-after': '7' });
    clock.jump(3_600_000);
    expect(health.condition(one)).toBe('cooling');
  });

  test('is not shortened by a later, shorter one', () => {
    const one = route();
    attempt(one, 'rate-limited', { 'retry-after': '60' });
    attempt(one, 'rate-limited', { 'retry-after': '1' });
    expect(health.freeInMs(one)).toBe(60_000);
  });

  test('follows a 503 with a wait; a 503 without one only counts', () => {
    const one = route();
    attempt(one, 'failure');
    expect(health.condition(one)).toBe('ready');
    attempt(one, 'failure', { 'retry-after': '4' });
    expect(health.freeInMs(one)).toBe(4_000);
    expect(health.routeReports()[0]?.failures).toBe(2);
  });

  test('does not affect other routes of the credential, because vendors limit by model', () => {
    attempt(route({ id: 1 }), 'rate-limited', { 'retry-after': '60' });
    expect(health.condition(route({ id: 2 }))).toBe('ready');
  });
});

describe('a refused credential', () => {
  test('of the platform is suspect for a minute, on all its routes', () => {
    attempt(route({ id: 1 }), 'unauthorized');
    expect(health.condition(route({ id: 2 }))).toBe('suspect');
    expect(health.credentialReports()).toEqual([
      { credentialId: 1, name: 'credential-1', active: 0, suspect: true, refusals: 1 },
    ]);
    clock.advance(60_000);
    expect(health.condition(route({ id: 2 }))).toBe('ready');
  });

  test('is cleared by a success or the first event of a stream', () => {
    attempt(route(), 'unauthorized');
    attempt(route(), 'success');
    expect(health.condition(route())).toBe('ready');
    expect(health.credentialReports()[0]?.refusals).toBe(1);
    attempt(route(), 'unauthorized');
    begin(route()).began();
    expect(health.condition(route())).toBe('ready');
  });

  test('of a user is not marked', () => {
    const own = route({ owner: 9 });
    attempt(own, 'unauthorized');
    expect(health.condition(own)).toBe('ready');
  });
});

describe('the limits of a credential', () => {
  test('allow a number of simultaneous calls, and each ended call frees a place', () => {
    const one = route({ limits: { concurrency: 3 } });
    const tickets = [begin(one), begin(one), begin(one)];
    expect(health.begin(one, 0)).toBeUndefined();
    expect(health.condition(one)).toBe('at-limit');
    tickets[1]?.end(0);
    expect(health.condition(one)).toBe('ready');
    expect(health.begin(one, 0)).toBeDefined();
    expect(health.begin(one, 0)).toBeUndefined();
  });

  test('count over all its routes', () => {
    const limits = { rpm: 2 };
    begin(route({ id: 1, limits })).end(0);
    begin(route({ id: 2, limits })).end(0);
    expect(health.condition(route({ id: 3, limits }))).toBe('at-limit');
    expect(health.condition(route({ id: 3, credentialId: 2, limits }))).toBe('ready');
  });

  test('count requests in minutes that begin at first use', () => {
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

  test('count tokens as estimated, then as used', () => {
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

  test('let a call above the whole limit pass in an empty minute, alone', () => {
    const one = route({ limits: { tpm: 1_000 } });
    begin(one, 5_000).end(5_000);
    expect(health.begin(one, 1)).toBeUndefined();
  });

  test('do not correct the next minute', () => {
    const one = route({ limits: { tpm: 1_000 } });
    const long = begin(one, 10);
    clock.advance(60_000);
    begin(one, 10).end(10);
    long.end(1_000_000);
    expect(health.condition(one)).toBe('ready');
  });
});

test('the state is bounded, and running calls are never forgotten', () => {
  const running = begin(route({ id: 0, credentialId: 0 }));
  for (let id = 1; id < HEALTH_ENTRIES_MAX + 50; id++) attempt(route({ id, credentialId: id }), 'success');
  expect(health.routeReports().length).toBe(HEALTH_ENTRIES_MAX);
  expect(health.credentialReports().length).toBe(HEALTH_ENTRIES_MAX);
  expect(health.credentialReports().find(({ credentialId }) => credentialId === 0)?.active).toBe(1);
  running.end(0);
});

test('a BYOK credential neither marks, ejects nor displaces what belongs to the platform', () => {
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
