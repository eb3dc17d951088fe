import { silentLogger } from '../../src/kernel/log.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';

// Started by server.test.ts: uses the embedded server of a directory until it is killed or told to end.
const server = await startEmbedded(process.argv[2] ?? '', silentLogger);
console.log(server.connection);
process.stdin.once('data', async () => {
  await server.stop();
  process.exit(0);
});
