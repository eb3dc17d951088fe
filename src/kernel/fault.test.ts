import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fault, planFaults } from './fault.ts';

const FAULT_FILE = new URL('./fault.ts', import.meta.url).href;

describe('planned faults', () => {
  it('do nothing unless they are planned', () => {
    expect(() => fault('journal.after-open')).not.toThrow();
  });

  it('throw once, at the named point and time', () => {
    planFaults('settle.before-commit=throw@3, gate.after-enter=throw');
    const thrown = [1, 2, 3, 4].map(() => {
      try {
        fault('settle.before-commit');
        return false;
      } catch (error) {
        return String(error).includes('settle.before-commit');
      }
    });
    expect(thrown).toEqual([false, false, true, false]);
    expect(() => fault('gate.after-enter')).toThrow(/gate.after-enter/);
    expect(() => fault('gate.before-enter')).not.toThrow();
  });

  it('end the process like a power cut', () => {
    const script = `
      import { fault, planFaults } from '${FAULT_FILE}';
      planFaults('here=kill');
      fault('here');
      console.log('alive');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(child.signal).toBe('SIGKILL');
    expect(child.stdout).not.toContain('alive');
  });

  it.each(['nonsense', 'a=explode', 'a=kill@', 'A=kill', ''])('refuse the plan "%s"', (plan) => {
    expect(() => planFaults(plan)).toThrow(/TOLLGATE_FAULTS/);
  });
});
