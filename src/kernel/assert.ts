/** A broken invariant of the code. It ends the call, never the process; the client sees 50001. */
export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailed(message);
}

/** For the default branch of a switch over a union: the compiler proves it is never reached. */
export function unreachable(value: never): never {
  throw new AssertionFailed(`unreachable: ${String(value)}`);
}
