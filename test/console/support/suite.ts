import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { CHROMIUM } from '../../needs.ts';
import beginRun from '../../support/suite/suite.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that all tests of the console share. */
    readonly consoleUrl: string;
    readonly simulatorUrl: string;
    /** Where its webhooks may go; see receivers.ts. */
    readonly hooksUrl: string;
    readonly databaseUrl: string;
  }
}

/** One server and one database for all tests of the console. Each test has its own account. */
export default async function beginConsole(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const endRun = beginRun();
  // All its tests are skipped then.
  if (!CHROMIUM.isMet) return endRun;
  const server = startServer();
  const { url, simulator, hooks, database } = await readFirstLine(server);
  project.provide('consoleUrl', url);
  project.provide('simulatorUrl', simulator);
  project.provide('hooksUrl', hooks);
  project.provide('databaseUrl', database);
  return async () => {
    server.stdin?.end();
    await once(server, 'close');
    await endRun?.();
  };
}

function startServer(): ChildProcess {
  // Its files register hooks of the runner if they think that they run in it.
  const { VITEST: _, ...environment } = process.env;
  return spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

interface Started {
  readonly url: string;
  readonly simulator: string;
  readonly hooks: string;
  readonly database: string;
}

async function readFirstLine(server: ChildProcess): Promise<Started> {
  if (server.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface(server.stdout)) return JSON.parse(line);
  throw new Error('the server of the console tests ended at its start');
}
