import type { SnippetRequest } from './request.ts';

export interface SnippetInput {
  /** The address of the gateway, without `/v1` and without a slash at its end. */
  readonly baseUrl: string;
  readonly model: string;
  /** The value of the variable that carries the key: the key while it is shown, else its prefix. */
  readonly key?: string | undefined;
  /** The request to write. Without one, each client says hello in the way that is its own. */
  readonly request?: SnippetRequest | undefined;
}

/** A piece to copy: into a terminal or into a file. */
export interface SnippetBlock {
  /** `terminal`, or the name of a file. */
  readonly place: string;
  readonly language: 'bash' | 'ini' | 'javascript' | 'json' | 'python';
  readonly code: string;
}

/** One way to use a client. Its blocks are used in their order. */
export interface Snippet {
  readonly id: string;
  /** The language, where a client has more than one. */
  readonly label: string;
  readonly blocks: readonly SnippetBlock[];
}

export interface SnippetClient {
  readonly id: string;
  readonly name: string;
  /** Whether it is a program for the terminal, or a library for a language. */
  readonly kind: 'terminal' | 'library';
  readonly variants: readonly Snippet[];
}
