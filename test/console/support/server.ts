/** The server of all tests of the console, in a process of its own. It ends when its input is closed. */
import { makePasswordsCheap } from '../../support/suite/cheap-passwords.ts';
import { startWorld } from '../../support/world.ts';
import { CONSOLE_CATALOG } from './catalog.ts';
import { startReceivers } from './receivers.ts';

// Dozens of pages sign in at once. On a busy machine real passwords would keep them waiting until the server
// says that it is busy.
makePasswordsCheap();
const receivers = await startReceivers();
const world = await startWorld({
  catalog: CONSOLE_CATALOG,
  environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1', ...receivers.environment },
});
const { url, simulator, config } = world;
const others = { simulator: simulator.url, hooks: receivers.hooks.url, database: config.databaseUrl };
console.log(JSON.stringify({ url, ...others }));
process.stdin.resume().once('end', async () => {
  // The database server of the run may have ended before.
  await world.close().catch(() => {});
  process.exit(0);
});
