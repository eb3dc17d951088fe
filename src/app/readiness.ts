import type { CachedDirectory } from '../accounts/directory.ts';
import type { Config } from '../config.ts';
import type { Operations } from '../http/operations.ts';
import type { Journal } from '../ledger/contract.ts';
import { StartRefused } from '../setup.ts';
import type { OpenGate } from './gate.ts';

/** What is missing before the first call can be served. */
export function missingParts(directory: CachedDirectory): string[] {
  const { models } = directory.catalog();
  const usable = [...models.values()].some(
    ({ status, routes }) => status === 'enabled' && routes.some((route) => route.status === 'enabled'),
  );
  if (usable) return [];
  return [
    'no model has a route: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY and restart, ' +
      'or apply a catalogue with "tollgate apply -f catalog.yaml"',
  ];
}

export interface ReadinessParts {
  readonly isDraining: () => boolean;
  readonly journal: Journal;
  readonly openGate: OpenGate;
  readonly directory: CachedDirectory;
}

/** Whether calls can be served now, and if not, the first reason. */
export function readiness(parts: ReadinessParts): ReturnType<Operations['readiness']> {
  const reason = firstProblem(parts);
  return reason === undefined ? { ready: true, reason: 'ready' } : { ready: false, reason };
}

function firstProblem({ isDraining, journal, openGate, directory }: ReadinessParts): string | undefined {
  if (isDraining()) return 'draining';
  if (!journal.writable) return 'the journal cannot be written';
  return openGate.problem() ?? missingParts(directory)[0];
}

const NO_SUCH_ADDRESS = 'this machine does not have this address; change HOST';
const ADDRESS_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop the process that uses it, or change PORT',
  EACCES: 'this user may not use the port; set PORT to 1024 or more',
  EADDRNOTAVAIL: NO_SUCH_ADDRESS,
  ENOTFOUND: NO_SUCH_ADDRESS,
};

/** An address that the server listens on, and the names of its settings. */
export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
  readonly settings: 'TOLLGATE' | 'TOLLGATE_OPS';
}

export function publicAddress({ host, port }: Config): ListeningAddress {
  return { host, port, settings: 'TOLLGATE' };
}

export function opsAddress({ opsHost: host, opsPort: port }: Config): ListeningAddress {
  return { host, port, settings: 'TOLLGATE_OPS' };
}

/** The usual reasons have advice for the person who starts the server. Anything else is a fault. */
export function refuseAddress(
  { host, port, settings }: ListeningAddress,
  error: NodeJS.ErrnoException,
): never {
  const problem = ADDRESS_PROBLEMS[error.code ?? ''];
  if (problem === undefined) throw error;
  const advice = problem.replace(/HOST|PORT/, (name) => `${settings}_${name}`);
  throw new StartRefused(`cannot listen on ${host}:${port}: ${advice}`);
}
