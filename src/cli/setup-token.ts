import { SURFACES } from '../platform/endpoint.ts';
import type { Output } from './command.ts';

/** On the terminal, not in the log: logs travel, and whoever reads this line may become the operator. */
export function tellSetupToken(token: string | undefined, url: string, output: Output): void {
  if (token === undefined) return;
  output.line('There is no operator yet. This token makes the first one, once, within 24 hours:');
  output.line(`  setup token: ${token}`);
  output.line(`  POST ${url}${SURFACES.auth}/setup {"token": …, "email": …, "password": …}`);
}
