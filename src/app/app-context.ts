import type { Config } from '../config.ts';
import type { Logger } from '../kernel/log.ts';
import type { Endings } from './cleanup.ts';
import type { WorkerPost } from './worker-slot.ts';

/** What every part of the product is given when it is opened. */
export interface Surroundings {
  readonly config: Config;
  readonly log: Logger;
  readonly endings: Endings;
  /** Nothing: this process serves alone. */
  readonly post: WorkerPost | undefined;
}
