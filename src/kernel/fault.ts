/**
 * Named points in the code at which a test may end the process or throw. Nothing happens unless
 * `TOLLGATE_FAULTS` named them at start, e.g. `settle.before-commit=kill@3` (the third time).
 */
export type FaultAction = 'kill' | 'throw';

interface Planned {
  readonly action: FaultAction;
  remaining: number;
}

const planned = new Map<string, Planned>();

/** Reads a plan such as `journal.after-open=kill@5,settle.before-commit=throw`. */
export function planFaults(text: string): void {
  for (const part of text.split(',')) {
    const match = /^([a-z.-]{1,64})=(kill|throw)(?:@(\d{1,6}))?$/.exec(part.trim());
    if (match === null) throw new Error(`TOLLGATE_FAULTS: "${part}" is not point=kill|throw[@n]`);
    const [, point = '', action, count] = match;
    planned.set(point, { action: action as FaultAction, remaining: Number(count ?? '1') });
  }
}

export function fault(point: string): void {
  if (planned.size === 0) return;
  const plan = planned.get(point);
  if (plan === undefined || --plan.remaining !== 0) return;
  if (plan.action === 'kill') process.kill(process.pid, 'SIGKILL');
  throw new Error(`planned fault at ${point}`);
}
