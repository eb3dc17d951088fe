import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { findPort } from '../../src/http/port.ts';
import { projectRoot } from '../house/tree.ts';
import { installed, type Need } from '../needs.ts';
import { caddy, haproxy, nginx, PROGRAMS } from '../prerequisites.ts';
import { until } from '../support/processes.ts';

/** The name that the files of deploy/ are written for. */
export const SITE = 'tollgate.example.com';

export type HttpVersion = 'HTTP/1.1' | 'HTTP/2';
const BOTH: readonly HttpVersion[] = ['HTTP/1.1', 'HTTP/2'];

/** A program in front of the gateway, with its file of deploy/. */
export interface FrontProxy {
  readonly name: string;
  /** Where TLS is spoken, on 127.0.0.1. */
  readonly port: number;
  /** Where everybody is sent to the other one. */
  readonly plainPort: number;
  /** What clients trust. */
  readonly ca: string;
  /** What it printed. */
  said(): string;
  close(): Promise<void>;
}

interface Place {
  readonly folder: string;
  readonly gatewayPort: number;
  readonly port: number;
  readonly plainPort: number;
  readonly key: string;
  readonly cert: string;
}

interface Kind {
  readonly name: string;
  readonly need: Need;
  readonly program: string | undefined;
  /** Writes the configuration into the folder, and says how the program is started with it. */
  readonly prepare: (place: Place) => readonly string[];
  /** What clients trust once it runs. */
  readonly trusted: (place: Place) => string;
  readonly versions: readonly HttpVersion[];
  /** It ends a stream that broke off like a whole one; docs/front.md says so. */
  readonly hidesBreaks: boolean;
}

/** The shipped file, with addresses, ports and paths of this test. Each must be in it. */
function shipped(path: string, replaced: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(projectRoot, 'deploy', path), 'utf8');
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const certificate = ({ cert }: Place): string => cert;

const NGINX: Kind = {
  name: 'nginx',
  need: installed(PROGRAMS.nginx),
  program: nginx,
  prepare: ({ folder, gatewayPort, port, plainPort, key, cert }) => {
    writeFileSync(join(folder, 'key.pem'), key);
    writeFileSync(join(folder, 'certificate.pem'), cert);
    const site = shipped('nginx/tollgate.conf', {
      '127.0.0.1:8080': `127.0.0.1:${gatewayPort}`,
      'listen 443 ': `listen 127.0.0.1:${port} `,
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      '/etc/ssl/tollgate': folder,
    });
    writeFileSync(join(folder, 'tollgate.conf'), site);
    // As Debian's own nginx.conf includes it, with gzip on as it is there.
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 2;
       events { worker_connections 512; }
       http { ${paths} access_log off; gzip on; gzip_types *; include ${folder}/tollgate.conf; }`,
    );
    return ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'];
  },
  trusted: certificate,
  versions: BOTH,
  hidesBreaks: false,
};

/** What stands before the shipped file: ports, and an authority of its own in place of a public one. */
function caddyOptions({ folder, port, plainPort }: Place): string {
  const ports = `https_port ${port}\n http_port ${plainPort}\n default_bind 127.0.0.1`;
  const own = `admin off\n local_certs\n skip_install_trust\n storage file_system ${folder}/storage`;
  return `{\n ${ports}\n ${own}\n}\n`;
}

function caddyWith(name: string, path: string, replaced: (gateway: string) => Record<string, string>): Kind {
  return {
    name,
    need: installed(PROGRAMS.caddy),
    program: caddy,
    prepare: (place) => {
      const site = shipped(path, replaced(`127.0.0.1:${place.gatewayPort}`));
      writeFileSync(join(place.folder, 'Caddyfile'), caddyOptions(place) + site);
      return ['run', '--config', join(place.folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
    trusted: ({ folder }) => readFileSync(join(folder, 'storage/pki/authorities/local/root.crt'), 'utf8'),
    versions: BOTH,
    hidesBreaks: isOldCaddy(),
  };
}

const CADDY = caddyWith('Caddy', 'caddy/Caddyfile', (gateway) => ({ '127.0.0.1:8080': gateway }));
const COMPOSE_CADDY = caddyWith('Caddy of Compose', 'compose/Caddyfile', (gateway) => ({
  'node-1:8080 node-2:8080': gateway,
  '{$TOLLGATE_DOMAIN}': SITE,
}));

/** Those before 2.8, as Debian 12 has it. */
function isOldCaddy(): boolean {
  if (caddy === undefined) return false;
  const version = execFileSync(caddy, ['version'], { encoding: 'utf8' });
  return /^v?2\.[0-7]\./.test(version);
}

const HAPROXY: Kind = {
  name: 'HAProxy',
  need: installed(PROGRAMS.haproxy),
  program: haproxy,
  prepare: ({ folder, gatewayPort, port, plainPort, key, cert }) => {
    writeFileSync(join(folder, 'tollgate.pem'), cert + key);
    const text = shipped('haproxy/haproxy.cfg', {
      '127.0.0.1:8080': `127.0.0.1:${gatewayPort}`,
      'bind :443 ': `bind 127.0.0.1:${port} `,
      'bind :80': `bind 127.0.0.1:${plainPort}`,
      '/etc/ssl/tollgate': folder,
    });
    writeFileSync(join(folder, 'haproxy.cfg'), text);
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
  trusted: certificate,
  versions: ['HTTP/1.1'],
  hidesBreaks: false,
};

export const KINDS: readonly Kind[] = [NGINX, CADDY, COMPOSE_CADDY, HAPROXY];

/** Starts it in front of the gateway, and waits until it answers. */
export async function startProxy(
  kind: Kind,
  gatewayUrl: string,
  pair: { readonly key: string; readonly cert: string },
): Promise<FrontProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-front-'));
  // Its workers may be another user.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'home'));
  const [port, plainPort] = [await findPort('127.0.0.1', 0), await findPort('127.0.0.1', 0)];
  const place = { folder, gatewayPort: Number(new URL(gatewayUrl).port), port, plainPort, ...pair };
  const environment = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') };
  const child: ChildProcess = spawn(String(kind.program), kind.prepare(place), {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output?.on('data', (bytes) => (said += bytes));
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    // Asked to end, nginx ends its workers too. Killed, it leaves them behind.
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(late);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${kind.name} does not run:\n${said}`);
      return (await isRedirecting(plainPort)) && (await speaksTls(port));
    }, 60_000);
    return { name: kind.name, port, plainPort, ca: kind.trusted(place), said: () => said, close };
  } catch (error) {
    await close();
    throw new Error(`${kind.name} does not serve:\n${said}`, { cause: error });
  }
}

/** The plain port is answered by the proxy itself. */
async function isRedirecting(port: number): Promise<boolean> {
  const headers = { host: SITE };
  const asked = fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual', headers });
  return asked.then(
    ({ status }) => status === 308,
    () => false,
  );
}

/** Caddy makes its certificate while it answers without TLS already. */
async function speaksTls(port: number): Promise<boolean> {
  // Whose certificate it is, the clients ask.
  const socket = connect({ host: '127.0.0.1', port, servername: SITE, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
