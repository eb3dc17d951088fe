import type { Clock } from '../src/kernel/time/clock.ts';
import type { PromptCache } from './answer/prompt-cache.ts';
import type { Keys } from './authorize.ts';
import type { Batches } from './batches/batches.ts';
import type { CloudState } from './cloud/state.ts';
import type { Quirks } from './compatible/quirks.ts';
import type { Videos } from './openai-videos/videos.ts';
import type { Script } from './script.ts';
import type { Stats } from './stats.ts';
import type { Truth } from './truth.ts';

/** What handling a request needs of the simulator. */
export interface World {
  readonly keys: Keys;
  readonly paceMs: number;
  /** Set: every path of Chat Completions is that of a vendor that imitates OpenAI. */
  readonly compatible: Quirks | undefined;
  readonly clock: Clock;
  readonly truth: Truth;
  readonly rules: Script;
  readonly clouds: CloudState;
  readonly stats: Stats;
  readonly prompts: PromptCache;
  readonly videos: Videos;
  readonly batches: Batches;
}

export function forget(world: World): void {
  world.truth.clear();
  world.rules.clear();
  world.stats.clear();
  world.prompts.clear();
  world.videos.clear();
  world.batches.clear();
}
