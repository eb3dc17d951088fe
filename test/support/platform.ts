import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BODY_LIMITS, createBodyReader, discardBody } from '../../src/http/body.ts';
import { ByteBudget } from '../../src/http/budget.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { createTimes } from '../../src/kernel/time/calendar.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { PLATFORM_BODY_BYTES_MAX } from '../../src/operations/bounds.ts';
import type { OperationDeps } from '../../src/operations/context.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createPlatform, type PlatformParts } from '../../src/platform/http/dispatch.ts';

/** A server of nothing but the platform, with operations of a test. Tokens `user` and `operator` log in. */
export interface TestPlatform {
  readonly url: string;
  readonly ended: [endpoint: string, status: number][];
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

export async function startPlatform(
  operations: readonly Operation[],
  parts: Partial<PlatformParts> & { readonly given?: Partial<OperationDeps> } = {},
): Promise<TestPlatform> {
  const ended: TestPlatform['ended'] = [];
  const platform = createPlatform({
    operations,
    sessions: testSessions,
    readBody: createBodyReader(new ByteBudget(8 * MIB), {
      ...BODY_LIMITS,
      bytesMax: PLATFORM_BODY_BYTES_MAX,
    }),
    discardBody,
    readAddress: () => '192.0.2.1',
    observer: { platformEnded: (endpoint, status) => ended.push([endpoint, status]) },
    deps: testDeps(parts.given),
    ...parts,
  });
  const server = createServer((request, response) => void platform.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ended,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An operation of a test uses no more than it gives itself. */
function testDeps(given: Partial<OperationDeps> = {}): OperationDeps {
  const known = {
    ...createTimes('UTC'),
    ...{ clock: systemClock, random: systemRandom, log: silentLogger },
    inForce: () => Promise.resolve(),
    ...given,
  };
  return known as Partial<OperationDeps> as OperationDeps;
}

/** Cookies are `cookie-user`, paired with `pair-user`. */
export const testSessions: PlatformParts['sessions'] = {
  byAccessToken: (token) => Promise.resolve(logins.get(token)),
  byCookie: (session) => Promise.resolve(logins.get(session.replace('cookie-', ''))),
  isCsrf: (sessionId, given) => given === `pair-${sessionId}`,
};

const logins = new Map([
  ['user', { accountId: 1, role: 'user' as const, sessionId: 'user' }],
  ['operator', { accountId: 2, role: 'operator' as const, sessionId: 'operator' }],
]);
