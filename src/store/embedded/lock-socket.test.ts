import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Need, needs } from '../../../test/needs.ts';
import { isAnswered, listenAt } from './lock-socket.ts';
import { thisProcess } from './process-identity.ts';

let path: string;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-socket-'));
  // Longer than the path of a socket may be.
  const long = join(directory, 'data'.repeat(30));
  mkdirSync(long);
  path = join(long, 'some.socket');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Elsewhere nobody asks for a socket. */
const NAMESPACES: Need = {
  name: 'process namespaces',
  isMet: thisProcess().namespace !== '',
  how: 'run on Linux, with /proc',
};

describe('the socket of a lock', needs(NAMESPACES), () => {
  test('answers while it is open, to its owner alone, and leaves no file', async () => {
    const close = await listenAt(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await isAnswered(path)).toBe(true);
    close?.();
    expect(existsSync(path)).toBe(false);
    expect(await isAnswered(path)).toBe(false);
  });

  test('without a listener does not answer', async () => {
    writeFileSync(path, '');
    expect(await isAnswered(path)).toBe(false);
  });

  test('is not opened in an unusable path', async () => {
    expect(await listenAt(join(directory, 'absent', 'some.socket'))).toBeUndefined();
  });

  test('with a full queue has an owner', async () => {
    const short = join(directory, 'full');
    const server = createServer().listen({ path: short, backlog: 1 });
    // Asked in one go, so that nothing is accepted in between.
    const answers = await Promise.all(Array.from({ length: 50 }, () => isAnswered(short)));
    expect(answers).not.toContain(false);
    const refusals = Array.from({ length: 50 }, () => {
      return new Promise((resolve) => {
        const socket = connect(short, () => resolve('connected'));
        socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)).unref();
      });
    });
    expect(await Promise.all(refusals)).toContain('EAGAIN');
    server.close();
  });
});
