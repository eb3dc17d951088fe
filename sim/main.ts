import { parseArgs } from 'node:util';
import { startSimulator } from './server.ts';

/** `node sim/main.ts --port 4010 --pace 20`: the vendors as a process of their own. */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '4010' }, pace: { type: 'string', default: '0' } },
});
const simulator = await startSimulator({ port: Number(values.port), paceMs: Number(values.pace) });
console.log(JSON.stringify({ url: simulator.url, port: simulator.port, pid: process.pid }));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}
