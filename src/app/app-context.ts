import type { Config } from '../config.ts';
import type { Logger } from '../kernel/log.ts';
import type { Cleanup } from './cleanup.ts';
import type { WorkerSlot } from './worker-slot.ts';

/** The dependencies that every part of the product gets when it is opened. */
export interface AppContext {
  readonly config: Config;
  readonly log: Logger;
  readonly cleanup: Cleanup;
  /** Undefined: this process serves alone. */
  readonly post: WorkerSlot | undefined;
}
