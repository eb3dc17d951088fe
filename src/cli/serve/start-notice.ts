import type { SetupToken } from '../../accounts/login-contract.ts';
import type { Config } from '../../config.ts';
import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { SURFACES } from '../../platform/endpoint.ts';
import type { Output } from '../command.ts';

/** What a person must know at the first start. */
export interface FirstStart {
  /** Makes the first operator; nothing once there is one. */
  readonly setupToken: SetupToken | undefined;
  /** Where this machine reaches the server. */
  readonly url: string;
}

/**
 * While there is no operator: where the server is, and how to become its operator. Never in the log, which
 * travels: whoever reads this may become the operator. Where the log is not for people it goes to stderr, so
 * that stdout stays JSON line by line.
 */
export function tellFirstStart({ setupToken, url }: FirstStart, config: Config, output: Output): void {
  if (setupToken === undefined) return;
  const address = config.publicUrl ?? url;
  const until = `${createTimeFormat(config.timeZone)(setupToken.expiresAtMs)} (${config.timeZone})`;
  const notice = [
    ...drawBox([
      'Tollgate has no operator yet. This token makes the first one, once:',
      '',
      `  setup token: ${setupToken.text}`,
      '',
      `It is good until ${until}, also after a restart.`,
      '',
      `Address    ${address}`,
      `Reference  ${address}/docs`,
    ]),
    'Become the operator with your own address and password:',
    '',
    `  curl '${address}${SURFACES.auth}/setup' -H 'Content-Type: application/json' \\`,
    `    -d '{"token":"${setupToken.text}","email":"you@example.com","password":"…"}'`,
    '',
  ];
  const say = process.stdout.isTTY ? output.line : output.error;
  for (const line of notice) say(line);
}

/** Lines in a frame, so that they are seen among others. */
export function drawBox(lines: readonly string[]): readonly string[] {
  const width = Math.max(...lines.map(({ length }) => length));
  const edge = '─'.repeat(width + 2);
  return [`┌${edge}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${edge}┘`];
}
