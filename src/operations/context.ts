import type { AccountMails, Logins } from '../accounts/login-contract.ts';
import type { CatalogSnapshot } from '../catalog/contract.ts';
import type { Config } from '../config.ts';
import type { Gate } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Sealer } from '../kernel/encoding/seal.ts';
import type { Logger } from '../kernel/log.ts';
import type { Random } from '../kernel/random.ts';
import type { Times } from '../kernel/time/calendar.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Days } from '../kernel/time/days.ts';
import type { Database } from '../store/database.ts';
import type { Actor } from '../store/operations/audit.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import type { Prober } from '../upstream/probe.ts';

/** What this process has observed of the platform's credentials and routes since its start. */
export interface HealthReports {
  credentialReports(): readonly {
    readonly credentialId: number;
    readonly active: number;
    readonly suspect: boolean;
    readonly refusals: number;
  }[];
  routeReports(): readonly {
    readonly routeId: number;
    readonly credentialId: number;
    readonly breaker: string;
    readonly failures: number;
    readonly ejections: number;
    readonly coolingMs: number;
  }[];
}

/** What operations work with. A server opens it once (app/platform.ts), a command for itself. */
export interface OperationDeps extends Times {
  readonly config: Config;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly logins: Logins;
  /** Undefined: this server sends no mail. */
  readonly accountMails: AccountMails | undefined;
  readonly days: Days;
  /** A gate in memory knows the calls of its own process only. */
  readonly gate: Pick<Gate, 'look'>;
  /** What the gateway of this process has observed of the vendors. */
  readonly health: HealthReports;
  readonly prober: Pick<Prober, 'probe' | 'test'>;
  /** Connections to vendors, to ask for their models. */
  readonly vendors: UpstreamClient;
  readonly live: LiveFeed;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  catalog(): CatalogSnapshot;
  /** The month of a time in the time zone of the server. */
  month(timeMs: number): string;
  /** Returns when every node has what was written so far, or after a bounded wait. */
  inForce(): Promise<void>;
}

/** An open stream of events. */
export interface EventSink {
  /** With `id` a client goes on after this event when it comes back. */
  send(event: { readonly name: string; readonly data: unknown; readonly id?: string }): void;
  end(): void;
}

/** What happens, for those who watch it. */
export interface LiveFeed {
  /** `after` is the id of the last event that the reader got. Returns what ends the watch. */
  join(reader: LiveReader, after: string | undefined, sink: EventSink): () => void;
  /** Ends all streams, and those that begin later: the process stops. */
  close(): void;
}

export interface LiveReader extends LoggedIn {
  /** Of the own account, or of the whole platform. */
  readonly of: 'account' | 'platform';
}

/** The login of a request. It is read for every request, so that a logout is in force at once. */
export interface LoggedIn {
  readonly accountId: number;
  readonly role: 'user' | 'operator';
  readonly sessionId: string;
}

/** The context of a handler besides its input. */
export interface Context extends OperationDeps {
  /** Set for `user` and `operator`, and for `optional` with a valid login. */
  readonly caller: LoggedIn | undefined;
  /** The client's address, behind a trusted proxy the one that the proxy names. */
  readonly address: string;
  /** As the client sent it, '' if absent. Shown only to the owner of the account. */
  readonly userAgent: string;
  /** See `readCookies` in operations/auth/cookies.ts. */
  readonly cookies: ReadonlyMap<string, string>;
  /** Ledger entries that a user asks for refer to it. At the terminal it is the reason. */
  readonly requestId: string;
  /** Set at the terminal: who acts, also for an account. What is written is then in the audit log. */
  readonly actor?: Actor;
}

/** The dispatcher lets in logged-in callers only: the access of this operation is `user` or `operator`. */
export function ownAccount({ caller }: Context): number {
  assert(caller !== undefined, 'the caller is logged in');
  return caller.accountId;
}
