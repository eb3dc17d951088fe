import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './house/tree.ts';

/** A program of the system that some test uses. */
export interface SystemProgram {
  readonly name: string;
  readonly pattern: string;
  readonly debianPackage: string;
  /** What is not proved without it. */
  readonly without: string;
}

/** Only what tests in the tree really use. A run by hand may name others, for example Valkey for Redis. */
export const PROGRAMS = {
  postgres: {
    name: 'PostgreSQL of the system',
    pattern: join(process.env.TEST_POSTGRES ?? '/usr/lib/postgresql/*/bin', 'postgres'),
    debianPackage: 'postgresql',
    without: 'the store is tested on the embedded PostgreSQL only',
  },
  redis: {
    name: 'Redis',
    pattern: process.env.TEST_REDIS ?? '/usr/bin/redis-server',
    debianPackage: 'redis-server',
    without: 'the gate is tested in memory only, not on many nodes',
  },
  curl: {
    name: 'curl',
    pattern: '/usr/bin/curl',
    debianPackage: 'curl',
    without: 'the curl lines of docs/clients.md are not tried',
  },
  chromium: {
    name: 'Chromium',
    pattern: '/usr/bin/chromium',
    debianPackage: 'chromium',
    without: 'the pages that we serve are not opened in a browser',
  },
  headlessShell: {
    name: 'Chromium without windows',
    pattern: process.env.TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    debianPackage: 'chromium-headless-shell',
    without: 'pages are opened in the whole Chromium, which computes twice as much for them',
  },
  notoCjk: {
    name: 'Noto CJK',
    pattern: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
    debianPackage: 'fonts-noto-cjk',
    without: 'pages in Chinese are drawn without their letters, and may be a pixel too wide',
  },
  openssl: {
    name: 'OpenSSL',
    pattern: '/usr/bin/openssl',
    debianPackage: 'openssl',
    without: 'no vendor behind TLS is called',
  },
  unshare: {
    name: 'unshare',
    pattern: '/usr/bin/unshare',
    debianPackage: 'util-linux',
    without: 'no two servers in two containers meet on one data directory',
  },
  podman: {
    name: 'Podman',
    pattern: '/usr/bin/podman',
    debianPackage: 'podman',
    without: 'the container image is not built',
  },
  runc: {
    name: 'runc',
    pattern: '/usr/sbin/runc',
    debianPackage: 'runc',
    without: 'the container image is not run',
  },
  mmdebstrap: {
    name: 'mmdebstrap',
    pattern: '/usr/bin/mmdebstrap',
    debianPackage: 'mmdebstrap',
    without: 'the container image has no base to be built on',
  },
  nginx: {
    name: 'nginx',
    pattern: '/usr/sbin/nginx',
    debianPackage: 'nginx',
    without: 'the configuration of nginx is not run',
  },
  caddy: {
    name: 'Caddy',
    pattern: process.env.TEST_CADDY ?? '/usr/bin/caddy',
    debianPackage: 'caddy',
    without: 'the configuration of Caddy is not run',
  },
  haproxy: {
    name: 'HAProxy',
    pattern: '/usr/sbin/haproxy',
    debianPackage: 'haproxy',
    without: 'the configuration of HAProxy is not run',
  },
  pgbouncer: {
    name: 'PgBouncer',
    pattern: '/usr/sbin/pgbouncer',
    debianPackage: 'pgbouncer',
    without: 'the store is not tested behind a pooler',
  },
  prometheus: {
    name: 'Prometheus',
    pattern: '/usr/bin/prometheus',
    debianPackage: 'prometheus',
    without: 'no metric, alert or panel is read by a scraper',
  },
} as const satisfies Readonly<Record<string, SystemProgram>>;

export const SYSTEM_PROGRAMS: readonly SystemProgram[] = Object.values(PROGRAMS);

export function findProgram({ pattern }: SystemProgram): string | undefined {
  return globSync(pattern)[0];
}

/** For one run of apt-get. */
const APT_TIMEOUT_MS = 600_000;

/** Beside the project, and no part of it: recordings of real vendors, and their specifications. */
export const sharedFolder: string = join(projectRoot, '..', 'shared');
export const recordingsFolder: string = join(sharedFolder, 'recordings');
export const specificationsFolder: string = join(sharedFolder, 'specs');

/**
 * A Python that has chdb, the engine of ClickHouse as a library: `TEST_CHDB` names one, as in
 * `python3 -m venv here && here/bin/pip install chdb`. It is large, so nothing installs it by itself.
 */
export const chdbPython: string | undefined = process.env.TEST_CHDB;

/** One that somebody else installed, beside the embedded one. */
export const postgres: string | undefined = findProgram(PROGRAMS.postgres);

/** The lines of docs/clients.md are for the shell. */
export const curl: string | undefined = findProgram(PROGRAMS.curl);

/** Tests start their own, on a free port and without persistence. */
export const redisServer: string | undefined = findProgram(PROGRAMS.redis);

/** Tests drive it without a window, so they prefer the one that has none and spares its cost. */
export const chromium: string | undefined =
  findProgram(PROGRAMS.headlessShell) ?? findProgram(PROGRAMS.chromium);

/** It makes the certificate of a test's own vendor. */
export const openssl: string | undefined = findProgram(PROGRAMS.openssl);

/** Tests run them with the files of deploy/, on free ports. */
export const nginx: string | undefined = findProgram(PROGRAMS.nginx);
export const caddy: string | undefined = findProgram(PROGRAMS.caddy);
export const haproxy: string | undefined = findProgram(PROGRAMS.haproxy);

/** It stands between the store and the tests' own server. */
export const pgbouncer: string | undefined = findProgram(PROGRAMS.pgbouncer);

/** Tests scrape with a Prometheus of their own. Its package brings promtool. */
export const prometheus: string | undefined = findProgram(PROGRAMS.prometheus);
export const promtool = '/usr/bin/promtool';

/** Podman runs containers with it. */
export const runc: string = PROGRAMS.runc.pattern;

/** Nothing when this Node will do; otherwise what to do about it. */
export function nodeProblem(version: string, wanted: string): string | undefined {
  const need = numbers(wanted);
  const have = numbers(version);
  for (const [index, part] of need.entries()) {
    const own = have[index] ?? 0;
    if (own > part) return undefined;
    if (own < part)
      return `Node ${version} is too old, ${wanted} is needed: "npm ci" brings it, then "npm test"`;
  }
  return undefined;
}

function numbers(version: string): readonly number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}

/**
 * Installs what is missing where that is possible, all of it before anything else runs, and says what is
 * missing then.
 */
export function provide(
  programs: readonly SystemProgram[],
  install: (packages: readonly string[]) => void,
): readonly string[] {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length === 0) return [];
  install(missing.map(({ debianPackage }) => debianPackage));
  return missing
    .filter((program) => findProgram(program) === undefined)
    .map(
      ({ name, debianPackage, without }) =>
        `${name} is missing (apt-get install ${debianPackage}): ${without}`,
    );
}

/** Debian only, and only as root. */
export function installWithApt(packages: readonly string[]): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing from Debian: ${packages.join(', ')}`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { timeout: APT_TIMEOUT_MS, env: environment, stdio: 'ignore' as const };
  const apt = (...args: readonly string[]): boolean => spawnSync('apt-get', args, options).status === 0;
  const installed = (...names: readonly string[]): boolean =>
    apt('install', '-y', '--no-install-recommends', ...names);
  if (installed(...packages) || (apt('update') && installed(...packages))) return;
  // One that cannot be had does not keep out the others.
  for (const name of packages) installed(name);
}
