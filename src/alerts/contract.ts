/** Alerts for users, by the name under which a channel asks for them. */
export const USER_ALERTS = ['credits-low', 'cap-near', 'cap-reached', 'key-expiring', 'limit-hit'] as const;
/** Alerts for operators. They are also told when the condition is over. */
export const OPERATOR_ALERTS = [
  ...['route-down', 'credential-refused', 'settling-lags', 'disk-nearly-full', 'doctor-finding'],
] as const;
/** Mails to the owner of an account. They need no channel. */
export const ACCOUNT_MAILS = ['verify-address', 'reset-password', 'password-changed', 'new-sign-in'] as const;

export type AlertLanguage = 'en' | 'zh';
export type ChannelKind = 'email' | 'webhook';

/** Texts by name: what a message is about. */
export type Details = Readonly<Record<string, string>>;

/** A condition that holds now. Its key is the same on every node and in every round. */
export interface Condition {
  readonly kind: string;
  readonly key: string;
  /** Undefined: it is for operators. */
  readonly accountId: number | undefined;
  readonly details: Details;
}

/** Finds conditions of its kinds from what is recorded, all that hold. */
export interface ConditionSource {
  readonly kinds: readonly string[];
  find(): Promise<readonly Condition[]>;
}

/** What a process observes, as it writes it with its heartbeat. Times are lengths, because clocks differ. */
export interface NodeFacts {
  /** Routes that fail, and for how long. */
  readonly routes: readonly { readonly id: number; readonly downMs: number }[];
  /** Credentials that a vendor refused, and how long ago. */
  readonly credentials: readonly { readonly id: number; readonly agoMs: number }[];
  /** Ended calls that wait, how long they have been many, and for how long they did not become fewer. */
  readonly lag: { readonly calls: number; readonly highMs: number; readonly stillMs: number };
  /** The free share of the disk of the data directory; null if it cannot be read. */
  readonly disk: { readonly free: number } | null;
}

/** What is written into a message, before it has a language. */
export interface Told {
  readonly kind: string;
  readonly state: 'raised' | 'cleared' | 'test' | 'mail';
  readonly details: Details;
  readonly createdAtMs: number;
}

/** A message of the outbox that this process has taken to send. */
export interface Delivery extends Told {
  readonly id: number;
  readonly messageId: string;
  readonly key: string;
  /** With this one. */
  readonly attempts: number;
  readonly channel: ChannelKind;
  readonly isOpen: boolean;
  /** The e-mail address or the address of the webhook. */
  readonly target: string;
  readonly language: AlertLanguage;
  /** The secret of the webhook; undefined for e-mail, and if it cannot be opened. */
  readonly webhookSecret: string | undefined;
  /** The token of a link. */
  readonly token: string | undefined;
}

/** `final`: trying again is of no use. */
export type Sent =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly reason: string; readonly final: boolean };

export interface Mail {
  /** The same in every attempt. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type SendMail = (mail: Mail) => Promise<Sent>;

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
}

export type SendWebhook = (webhook: Webhook) => Promise<Sent>;

export interface Outbox {
  /** Messages that are due. No other process gets them for a while, and the attempt is counted. */
  take(count: number): Promise<readonly Delivery[]>;
  markSent(id: number): Promise<void>;
  markFailed(id: number, reason: string, waitMs: number): Promise<void>;
  markDead(id: number, reason: string): Promise<void>;
}

export interface AlertStore {
  /** Whether this process does the task now. Nobody else does before `everyMs` are over. */
  claimTask(name: 'conditions' | 'doctor', everyMs: number): Promise<boolean>;
  /** Tells what is new of these kinds, and what is over. Returns how many messages that made. */
  reconcile(kinds: readonly string[], holding: readonly Condition[]): Promise<number>;
  prune(): Promise<void>;
}
