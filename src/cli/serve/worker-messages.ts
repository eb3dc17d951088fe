/** What a supervisor and its workers say to each other. Both are the same program, so nobody lies. */
export type ToWorker =
  | {
      readonly kind: 'start';
      /** From 1. */
      readonly number: number;
      readonly port: number;
      readonly opsPort: number;
      /** Of the embedded server too, which the supervisor keeps. */
      readonly databaseUrl: string;
      readonly configFile: string | undefined;
    }
  | { readonly kind: 'tell-figures'; readonly id: number }
  | { readonly kind: 'all-figures'; readonly id: number; readonly text: string };

export type FromWorker =
  | {
      readonly kind: 'serves';
      readonly url: string;
      readonly opsUrl: string;
      readonly missing: readonly string[];
    }
  /** The start was refused with a sentence for people. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'figures'; readonly id: number; readonly text: string }
  /** Somebody asked this worker for the figures of all; `own` are its own. */
  | { readonly kind: 'want-all-figures'; readonly id: number; readonly own: string };
