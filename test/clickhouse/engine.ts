import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';

export interface Engine {
  readonly url: string;
  readonly version: string;
  /** Rows of a question. */
  ask<Row>(statement: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Starts the engine of ClickHouse with a folder of its own. */
export async function startEngine(python: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-clickhouse-'));
  const child = spawn(python, [join(import.meta.dirname, 'engine.py'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url = '', version = ''] = (await firstLine(child.stdout)).split(' ');
  return {
    url,
    version,
    ask: async <Row>(statement: string) => {
      const answer = await fetch(url, { method: 'POST', body: statement });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(text);
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Row);
    },
    close: async () => {
      child.stdin.end();
      await once(child, 'close');
      await rm(folder, { recursive: true });
    },
  };
}

async function firstLine(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) return line;
  throw new Error('the engine did not start');
}
