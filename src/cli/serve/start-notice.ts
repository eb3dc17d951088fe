import type { SetupToken } from '../../accounts/login-contract.ts';
import type { Config } from '../../config.ts';
import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { SURFACES } from '../../operations/operation.ts';
import type { Output } from '../command.ts';

/** The facts of the notice at the first start. */
export interface FirstStart {
  /** Creates the first operator. Not set once there is one. */
  readonly setupToken: SetupToken | undefined;
  /** The address of the server from this machine. */
  readonly url: string;
}

/**
 * While there is no operator: where the server is, and how to become its operator. It is never written to
 * the log, because logs are forwarded and whoever reads this may become the operator. If the log is JSON, it
 * goes to stderr, so that stdout stays JSON line by line.
 */
export function tellFirstStart({ setupToken, url }: FirstStart, config: Config, output: Output): void {
  if (setupToken === undefined) return;
  const address = config.publicUrl ?? url;
  const until = `${createTimeFormat(config.timeZone)(setupToken.expiresAtMs)} (${config.timeZone})`;
  const notice = [
    ...drawBox([
      'Tollgate has no operator yet. Open this address to become the first one:',
      '',
      // Browsers keep what stands behind # to themselves: no proxy and no log sees the token.
      `  ${address}/setup#token=${setupToken.text}`,
      '',
      `  setup token: ${setupToken.text}`,
      '',
      `It can be used once and is valid until ${until}, also after a restart.`,
      '',
      `Address    ${address}`,
      `Reference  ${address}/docs`,
    ]),
    'Or send the token with your e-mail address and a password:',
    '',
    `  curl '${address}${SURFACES.auth}/setup' -H 'Content-Type: application/json' \\`,
    `    -d '{"token":"${setupToken.text}","email":"you@example.com","password":"…"}'`,
    '',
  ];
  const say = process.stdout.isTTY ? output.line : output.error;
  for (const line of notice) say(line);
}

/** Draws a frame around the lines, so that they are easy to see. */
export function drawBox(lines: readonly string[]): readonly string[] {
  const width = Math.max(...lines.map(({ length }) => length));
  const edge = '─'.repeat(width + 2);
  return [`┌${edge}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${edge}┘`];
}
