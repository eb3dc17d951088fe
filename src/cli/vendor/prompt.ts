import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether somebody sits in front of this process and can answer. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on standard error, so that standard output stays what the command prints. */
export async function askPerson(question: string): Promise<string> {
  return answerTo(question, process.stderr);
}

export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer);
}

/** The same, without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const secret = await answerTo('', silent);
  process.stderr.write('\n');
  return secret;
}

async function answerTo(question: string, output: NodeJS.WritableStream): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return (await reader.question(question)).trim();
  } finally {
    reader.close();
  }
}
