import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPort } from '../../src/http/port.ts';
import { projectRoot } from '../house/tree.ts';
import { prometheus, promtool } from '../prerequisites.ts';
import { until } from '../support/processes.ts';

/** A Prometheus of the test's own, with the files of deploy/ at a faster pace. */
export interface TestPrometheus {
  /** The names of the alerts that fire now. */
  firing(): Promise<readonly string[]>;
  /** What it finds for an expression; throws what it says of a wrong one. */
  query(expression: string): Promise<readonly unknown[]>;
  /** The exemplars of the last minute for an expression, with the labels of their series. */
  exemplars(expression: string): Promise<readonly StoredExemplars[]>;
  close(): Promise<void>;
}

export interface StoredExemplars {
  readonly seriesLabels: Readonly<Record<string, string>>;
  readonly exemplars: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: string;
    readonly timestamp: number;
  }[];
}

const FOLDER = join(projectRoot, 'deploy', 'prometheus');

/** Runs promtool; `text` is its standard input. */
export function runPromtool(args: readonly string[], text = ''): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(promtool, args, { input: text, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

/** The shipped files: what takes minutes takes seconds, and the target is the given one. */
function writeFiles(folder: string, target: string): void {
  const rules = readFileSync(join(FOLDER, 'tollgate.rules.yml'), 'utf8');
  const hasty = rules.replaceAll(/for: \w+/g, 'for: 1s').replaceAll(/\[\d+m\]/g, '[5s]');
  writeFileSync(join(folder, 'tollgate.rules.yml'), hasty);
  const config = readFileSync(join(FOLDER, 'prometheus.yml'), 'utf8')
    .replaceAll('15s', '500ms')
    .replace(/targets: \[.+\]/, `targets: ["${target}"]`);
  if (!config.includes(target)) throw new Error('prometheus.yml has no targets');
  writeFileSync(join(folder, 'prometheus.yml'), config);
}

export async function startPrometheus(target: string): Promise<TestPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-prometheus-'));
  writeFiles(folder, target);
  const port = await findPort('127.0.0.1', 0);
  const options = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--enable-feature=exemplar-storage',
  ];
  const child: ChildProcess = spawn(String(prometheus), options, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output?.on('data', (bytes) => (said += bytes));
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error('it has ended');
      return fetch(`${url}/-/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    }, 60_000);
  } catch (error) {
    await close();
    throw new Error(`Prometheus does not run:\n${said}`, { cause: error });
  }
  return {
    firing: () => readFiring(url),
    query: (expression) => readQuery(url, expression),
    exemplars: (expression) => readExemplars(url, expression),
    close,
  };
}

async function readFiring(url: string): Promise<readonly string[]> {
  const answer = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
    readonly data: {
      readonly alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[];
    };
  };
  return answer.data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
}

async function readQuery(url: string, expression: string): Promise<readonly unknown[]> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const body = (await answer.json()) as {
    readonly status: string;
    readonly error?: string;
    readonly data: { readonly result: readonly unknown[] };
  };
  if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
  return body.data.result;
}

async function readExemplars(url: string, expression: string): Promise<readonly StoredExemplars[]> {
  const nowSeconds = Date.now() / 1000;
  const query = new URLSearchParams({
    query: expression,
    start: String(nowSeconds - 60),
    end: String(nowSeconds + 60),
  });
  const answer = await fetch(`${url}/api/v1/query_exemplars?${query}`);
  const body = (await answer.json()) as {
    readonly status: string;
    readonly error?: string;
    readonly data: readonly StoredExemplars[];
  };
  if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
  return body.data;
}
