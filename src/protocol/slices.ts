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
    await new Promise((resolve) => setImmediate(resolve));
  }
}
