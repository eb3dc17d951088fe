import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fillScript } from './words.ts';

/** What a gate needs of Redis: operations on the keys of one account, each answered by one line. */
export interface RedisClient {
  /** `beside-last`: in the same run of the script as the operation before it, where `joins` is true. */
  run(hash: string, line: string, position?: Position): Promise<string>;
  /** Whether the operations of one turn of the event loop reach the server together, whatever their keys. */
  readonly joins: boolean;
}

export type Position = 'anywhere' | 'beside-last';

/** A script of the server. It is called by its hash, so that its text is sent once. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

/** Shared by all operations. A test checks its arithmetic alone. */
export const PRELUDE = fillScript(readText('account.lua'));
export const OPERATIONS = createScript(
  [
    PRELUDE,
    toFunction('enter', readText('enter.lua')),
    readText('leave.lua'),
    toFunction('covers', readText('covers.lua')),
    toFunction('look', readText('look.lua')),
    readText('run.lua'),
  ]
    .map(fillScript)
    .join('\n'),
);

function readText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

function toFunction(name: string, text: string): string {
  return `local function ${name}(mode)\n${text}end\n`;
}

function createScript(text: string): Script {
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}

/** The loggable part of a failure. The client attaches the command to it, which may contain a password. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the command surely had no effect: it was never sent, or the server reports that it did not run. */
export function hadNoEffect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'RedisUnreachable') return true;
  return UNSENT.test(error.message) || (error.name === 'ReplyError' && REFUSED.test(error.message));
}

/** One operation of a run failed. The client gives the same name to the failure of a whole command. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

const UNSENT = /enableOfflineQueue options is false|Cluster isn't ready|None of startup nodes/;
const REFUSED =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|OOM|MISCONF|NOREPLICAS|BUSY|NOAUTH|NOPERM|WRONGPASS)/;
