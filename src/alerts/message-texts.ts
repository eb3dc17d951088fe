import type { Details } from './contract.ts';

/** The words of a message: a line for the subject, and sentences. */
export interface Words {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The words of one kind of message. `cleared` is for conditions that are told when they are over. */
export interface KindWords {
  raised(details: Details): Words;
  cleared?(details: Details): Words;
}

export interface MessageTexts {
  readonly kinds: Readonly<Record<string, KindWords>>;
  readonly test: Words;
  /** Below every mail: the name of the server. */
  footer(publicUrl: string): string;
  readonly open: string;
  readonly verify: string;
  readonly reset: string;
}
