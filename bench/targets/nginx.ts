/** nginx as a plain reverse proxy: one worker, no buffering, no access log. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logTail, runCommand, startChild, stopChild, waitForAnswer } from '../child.ts';
import type { Place, Preparation, StartedTarget, Target } from '../target.ts';

/** Debian installs it where only root's PATH looks. */
const SEARCH_PATH = { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

async function findVersion(): Promise<string> {
  await runCommand('sh', ['-c', 'command -v nginx'], { environment: SEARCH_PATH });
  const printed = await runCommand('sh', ['-c', 'nginx -v 2>&1'], { environment: SEARCH_PATH });
  return printed.trim().replace('nginx version: ', '');
}

async function install(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('nginx is not installed, and only root may install it');
  await runCommand('sh', ['-c', 'apt-get update && apt-get install -y --no-install-recommends nginx']);
}

function configuration(place: Place): string {
  // Temporary files stay in the folder of the run; workers of a root master would else become another user.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = folders.map((each) => `${each}_temp_path ${join(place.folder, each)};`).join(' ');
  return `
daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid ${join(place.folder, 'nginx.pid')}; ${user}
error_log ${join(place.folder, 'error.log')} warn;
events { worker_connections 16384; }
http {
  access_log off; ${temporary}
  keepalive_timeout 75s; keepalive_requests 100000000; tcp_nodelay on;
  client_max_body_size 100m; client_body_buffer_size 2m;
  upstream vendor {
    server 127.0.0.1:${place.upstreamPort};
    keepalive 512; keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${place.port};
    location = /ready { return 200; }
    location / {
      proxy_pass http://vendor; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off;
    }
  }
}
`;
}

export const nginx: Target = {
  name: 'nginx',
  has: 'one worker, no buffering, no access log; no key, limit or book',
  keepsBooks: false,

  async prepare(): Promise<Preparation> {
    try {
      const version = await findVersion().catch(async () => {
        await install();
        return findVersion();
      });
      return { kind: 'ready', version };
    } catch (error) {
      return { kind: 'left-out', reason: String(error) };
    }
  },

  async start(place: Place): Promise<StartedTarget> {
    mkdirSync(place.folder, { recursive: true });
    const file = join(place.folder, 'nginx.conf');
    writeFileSync(file, configuration(place));
    const options = { ...place, environment: SEARCH_PATH };
    const child = startChild('nginx', ['-p', place.folder, '-c', file], options);
    await waitForAnswer(child, `http://127.0.0.1:${place.port}/ready`, (status) => status === 200);
    return {
      port: place.port,
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer bench' },
      rootPids: () => [child.pid],
      databaseOf: () => undefined,
      lastWords: () => logTail(child),
      stop: () => stopChild(child.process),
    };
  },
};
