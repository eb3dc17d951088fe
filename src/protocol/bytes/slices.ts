import { nextTurn } from '../../kernel/async/next-turn.ts';

/**
 * Work over foreign bytes that pauses: at each `yield` it has taken at most a few milliseconds, and the event
 * loop may turn.
 */
export type Sliced<Result> = Generator<undefined, Result>;

/** Does all of the work now. For small work. */
export function finishNow<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the work over many turns of the event loop. */
export async function finishInTurns<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Work on bodies up to this size is done at once. */
const AT_ONCE_BYTES_MAX = 64 * 1024;

/** Does the work at once if it is small, by the size of its data. */
export function finish<Result>(work: Sliced<Result>, bytes: number): Result | Promise<Result> {
  return bytes <= AT_ONCE_BYTES_MAX ? finishNow(work) : finishInTurns(work);
}
