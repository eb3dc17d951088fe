import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/kernel/log.ts';
import { preparePlace } from '../../src/store/embedded/place.ts';
import { thisProcess } from '../../src/store/embedded/process-identity.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';

// Started by server.test.ts: uses the embedded server of a directory until it is killed or told to end. As an
// older version it leaves the rules of the server as they are, and says no password.
const [directory = '', version] = process.argv.slice(2);
const server = version === 'older' ? startOlder() : await startEmbedded(directory, silentLogger);
console.log(server.connection);
process.stdin.once('data', async () => {
  await server.stop();
  process.exit(0);
});

function startOlder(): { readonly connection: string; stop(): Promise<void> } {
  const { cluster, binaries, user } = preparePlace(directory);
  const options = { ...user, cwd: cluster, env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' } as const;
  const control = (...words: readonly string[]) =>
    execFileSync(join(binaries, 'pg_ctl'), [...words, '-D', '.', '-w'], options);
  const settings = ["listen_addresses = ''", `unix_socket_directories = '${cluster}'`, 'fsync = off', ''];
  writeFileSync(join(cluster, 'postgresql.conf'), settings.join('\n'));
  control('start', '-l', 'server.log');
  const own = thisProcess();
  mkdirSync(join(directory, 'postgres-users'), { recursive: true });
  writeFileSync(join(directory, 'postgres-users', String(own.pid)), JSON.stringify(own));
  const connection = `postgresql://tollgate@localhost/postgres?host=${encodeURIComponent(cluster)}&port=5432`;
  return { connection, stop: async () => void control('stop', '-m', 'fast') };
}
