import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './house/tree.ts';

/** A program of the system that some test uses, and what is not proved without it. */
export interface SystemProgram {
  readonly name: string;
  readonly pattern: string;
  readonly debianPackage: string;
  readonly without: string;
}

/** Only what tests in the tree really use. Tests skip, by a named constant, what is missing. */
export const SYSTEM_PROGRAMS: readonly SystemProgram[] = [
  {
    name: 'PostgreSQL of the system',
    pattern: '/usr/lib/postgresql/*/bin/postgres',
    debianPackage: 'postgresql',
    without: 'the store is tested on the embedded PostgreSQL only',
  },
  {
    name: 'Redis',
    pattern: '/usr/bin/redis-server',
    debianPackage: 'redis-server',
    without: 'the gate is tested in memory only, not on many nodes',
  },
  {
    name: 'curl',
    pattern: '/usr/bin/curl',
    debianPackage: 'curl',
    without: 'the curl lines of docs/clients.md are not tried',
  },
  {
    name: 'Chromium',
    pattern: '/usr/bin/chromium',
    debianPackage: 'chromium',
    without: 'the pages that we serve are not opened in a browser',
  },
  {
    name: 'Chromium without windows',
    pattern: '/usr/bin/chromium-headless-shell',
    debianPackage: 'chromium-headless-shell',
    without: 'pages are opened in the whole Chromium, which computes twice as much for them',
  },
  {
    name: 'Noto CJK',
    pattern: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
    debianPackage: 'fonts-noto-cjk',
    without: 'pages in Chinese are drawn without their letters, and may be a pixel too wide',
  },
  {
    name: 'OpenSSL',
    pattern: '/usr/bin/openssl',
    debianPackage: 'openssl',
    without: 'no vendor behind TLS is called',
  },
  {
    name: 'unshare',
    pattern: '/usr/bin/unshare',
    debianPackage: 'util-linux',
    without: 'no two servers in two containers meet on one data directory',
  },
  {
    name: 'Podman',
    pattern: '/usr/bin/podman',
    debianPackage: 'podman',
    without: 'the container image is not built',
  },
  {
    name: 'runc',
    pattern: '/usr/sbin/runc',
    debianPackage: 'runc',
    without: 'the container image is not run',
  },
  {
    name: 'mmdebstrap',
    pattern: '/usr/bin/mmdebstrap',
    debianPackage: 'mmdebstrap',
    without: 'the container image has no base to be built on',
  },
  {
    name: 'nginx',
    pattern: '/usr/sbin/nginx',
    debianPackage: 'nginx',
    without: 'the configuration of nginx is not run',
  },
  {
    name: 'Caddy',
    pattern: '/usr/bin/caddy',
    debianPackage: 'caddy',
    without: 'the configuration of Caddy is not run',
  },
  {
    name: 'HAProxy',
    pattern: '/usr/sbin/haproxy',
    debianPackage: 'haproxy',
    without: 'the configuration of HAProxy is not run',
  },
  {
    name: 'PgBouncer',
    pattern: '/usr/sbin/pgbouncer',
    debianPackage: 'pgbouncer',
    without: 'the store is not tested behind a pooler',
  },
  {
    name: 'Prometheus',
    pattern: '/usr/bin/prometheus',
    debianPackage: 'prometheus',
    without: 'no metric, alert or panel is read by a scraper',
  },
];

const APT_TIMEOUT_MS = 180_000;

/** The folder beside the project with recordings of real vendors; it is not part of the project. */
const sharedPath = join(projectRoot, '..', 'shared');
export const sharedFolder: string | undefined = existsSync(join(sharedPath, 'recordings'))
  ? sharedPath
  : undefined;

/**
 * A Python that has chdb, the engine of ClickHouse as a library: `TOLLGATE_TEST_CHDB` names one, as in
 * `python3 -m venv here && here/bin/pip install chdb`. It is large, so nothing installs it by itself.
 */
export const chdbPython: string | undefined = process.env.TOLLGATE_TEST_CHDB;

/** Of the system; the lines of docs/clients.md are for the shell. */
export const curl: string | undefined = globSync('/usr/bin/curl')[0];

/**
 * Of the system; tests start their own, on a free port and without persistence. `TOLLGATE_TEST_REDIS` names
 * another one, for a run by hand with Valkey.
 */
export const redisServer: string | undefined = globSync(
  process.env.TOLLGATE_TEST_REDIS ?? '/usr/bin/redis-server',
)[0];

/**
 * Of the system; tests drive it without a window, so they prefer the one that has none and spares its cost.
 * `TOLLGATE_TEST_CHROMIUM` names another one, for a run by hand.
 */
export const chromium: string | undefined = [
  process.env.TOLLGATE_TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find(existsSync);

/** Of the system; it makes the certificate of a test's own vendor. */
export const openssl: string | undefined = globSync('/usr/bin/openssl')[0];

/** Of the system; tests run them with the files of deploy/, on free ports. */
export const nginx: string | undefined = globSync('/usr/sbin/nginx')[0];
/** `TOLLGATE_TEST_CADDY` names another one, for a run by hand. */
export const caddy: string | undefined = globSync(process.env.TOLLGATE_TEST_CADDY ?? '/usr/bin/caddy')[0];
export const haproxy: string | undefined = globSync('/usr/sbin/haproxy')[0];

/** Of the system; it stands between the store and the tests' own server. */
export const pgbouncer: string | undefined = globSync('/usr/sbin/pgbouncer')[0];

/** Of the system, both of one package; tests scrape with a Prometheus of their own. */
export const prometheus: string | undefined = globSync('/usr/bin/prometheus')[0];
export const promtool = '/usr/bin/promtool';

/** Of the system; Podman runs containers with it. */
export const runc = '/usr/sbin/runc';
/** Whether images can be made and run: from Debian's packages, because nothing is pulled, and as root. */
export const containerTools: boolean =
  process.getuid?.() === 0 && ['/usr/bin/podman', '/usr/bin/mmdebstrap', runc].every(existsSync);

/** Runs what follows as process 1 of a namespace of its own, as containers do; nothing where forbidden. */
export function findContainer(): readonly [string, ...string[]] | undefined {
  const command = ['/usr/bin/unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;
  const [program, ...options] = command;
  return spawnSync(program, [...options, 'true']).status === 0 ? command : undefined;
}

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

/** Installs what is missing where that is possible, and says what is missing still. */
export function provide(
  programs: readonly SystemProgram[],
  install: (name: string) => boolean,
): readonly string[] {
  return programs
    .filter((program) => globSync(program.pattern).length === 0)
    .filter(({ debianPackage, pattern }) => !install(debianPackage) || globSync(pattern).length === 0)
    .map(
      ({ name, debianPackage, without }) =>
        `${name} is missing (apt-get install ${debianPackage}): ${without}`,
    );
}

/** Debian only, and only as root; false when it could not be done. */
export function installWithApt(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { timeout: APT_TIMEOUT_MS, env: environment, stdio: 'ignore' as const };
  const installed = (): boolean =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], options).status === 0;
  return installed() || (spawnSync('apt-get', ['update'], options).status === 0 && installed());
}
