import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Need } from '../needs.ts';

/** A request as it leaves us. */
export interface SentCase {
  /** `form`, or the protocol of a JSON body. */
  readonly protocol: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** A reader in another language; nothing where its language is not installed. */
export interface Program {
  readonly name: string;
  /** One line of JSON for each case. */
  read(cases: readonly SentCase[]): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

const run = promisify(execFile);
const BUILD_MS = 240_000;
const source = (name: string): string => fileURLToPath(new URL(`readers/${name}`, import.meta.url));

const go = await findGo();
export const GO: Need = { name: 'Go', isMet: go !== undefined, how: 'apt-get install golang-go' };
export const PYTHON: Need = {
  name: 'Python',
  isMet: await answers('python3', ['--version']),
  how: 'apt-get install python3',
};

/** Compiled once, of the standard library alone and without a network. */
export async function goProgram(): Promise<Program | undefined> {
  if (go === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-go-'));
  const program = join(folder, 'read');
  const environment = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GO111MODULE: 'off' };
  try {
    await run(go, ['build', '-o', program, source('read.go')], { env: environment, timeout: BUILD_MS });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    name: 'Go',
    read: (cases) => converse(program, [], cases),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function findGo(): Promise<string | undefined> {
  for (const candidate of ['go', '/usr/local/go/bin/go']) {
    if (await answers(candidate, ['version'])) return candidate;
  }
  return undefined;
}

export function pythonProgram(): Program | undefined {
  if (!PYTHON.isMet) return undefined;
  return {
    name: 'Python',
    read: (cases) => converse('python3', [source('read.py')], cases),
    close: async () => {},
  };
}

async function answers(command: string, words: readonly string[]): Promise<boolean> {
  try {
    await run(command, words, { timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

/** All cases go in, all readings come out, and the program ends. */
async function converse(
  command: string,
  words: readonly string[],
  cases: readonly SentCase[],
): Promise<readonly unknown[]> {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    child.stdin.on('error', () => {});
    child.stdin.end(cases.map((one) => `${lineOf(one)}\n`).join(''));
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
    const status = await ended;
    if (status !== 0) throw new Error(`${command} ended with ${status}`);
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
    if (lines.length !== cases.length) throw new Error(`${command} read ${lines.length} of ${cases.length}`);
    return lines.map((line) => JSON.parse(line) as unknown);
  } finally {
    child.kill('SIGKILL');
  }
}

function lineOf({ protocol, contentType, body }: SentCase): string {
  return JSON.stringify({ protocol, contentType, body: body.toString('base64') });
}
