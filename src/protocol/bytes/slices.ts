import { nextTurn } from '../../kernel/async/next-turn.ts';

/**
 * Work over foreign bytes that stops now and then: at each `yield` it has taken some milliseconds at most,
 * and the event loop may turn.
 */
export type Sliced<Result> = Generator<undefined, Result>;

/** Does all of it now: for little. */
export function finishNow<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does it over many turns of the event loop. */
export async function finishInTurns<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Of bodies up to this size all work is done at once. */
const AT_ONCE_BYTES_MAX = 64 * 1024;

/** Does it at once where it is little, by the size of what it is about. */
export function finish<Result>(work: Sliced<Result>, bytes: number): Result | Promise<Result> {
  return bytes <= AT_ONCE_BYTES_MAX ? finishNow(work) : finishInTurns(work);
}
