/** The messages between a supervisor and its workers. Both run the same program, so nothing is validated. */
export type ToWorker =
  | {
      readonly kind: 'start';
      /** Counted from 1. */
      readonly number: number;
      readonly port: number;
      readonly opsPort: number;
      /** Set also for the embedded database, which the supervisor runs. */
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
  /** The start failed, with a message for people. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'figures'; readonly id: number; readonly text: string }
  /** A request for the metrics of all workers reached this one; `own` are its own metrics. */
  | { readonly kind: 'want-all-figures'; readonly id: number; readonly own: string };
