import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot } from '../../house/tree.ts';
import { startReceivers } from '../support/receivers.ts';

/** A demo in a process of its own, on a free port, with somebody who gets its mails and webhooks. */
export interface RunningDemo {
  readonly url: string;
  readonly accounts: readonly { readonly email: string; readonly role: string; readonly password: string }[];
  /** Where its webhooks may go. */
  readonly hooksUrl: string;
  close(): Promise<void>;
}

export async function startDemo(): Promise<RunningDemo> {
  const receivers = await startReceivers();
  const child = spawn(process.execPath, ['src/main.ts', 'demo', '--json'], {
    cwd: projectRoot,
    env: { ...process.env, ...receivers.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await receivers.close();
  };
  let said = '';
  const report = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(said);
    });
    child.once('exit', () => reject(new Error('the demo ended before it was ready')));
  });
  const told = JSON.parse(await report) as Omit<RunningDemo, 'close' | 'hooksUrl'>;
  return { ...told, hooksUrl: receivers.hooks.url, close };
}
