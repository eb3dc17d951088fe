import { describe, expect, it } from 'vitest';
import {
  familyOf,
  listProcesses,
  parseBusyMs,
  parseMemoryPeak,
  parseResident,
  parseStat,
  usageOf,
} from './measure.ts';

const STAT_TAIL = '4194560 9 8 7 6 120 30 4 1 20 0 11 0 100 1000 500 18446744073709551615 0 0';

describe('parseStat', () => {
  it('adds user and system time of the process and of its ended children', () => {
    const stat = parseStat(`42 (node) S 7 42 42 0 -1 ${STAT_TAIL}`);
    expect(stat).toEqual({ pid: 42, name: 'node', parentPid: 7, cpuMs: (120 + 30 + 4 + 1) * 10 });
  });

  it('is not misled by a name with brackets and spaces', () => {
    const stat = parseStat(`43 (postgres: io (1) S 9) S 7 42 42 0 -1 ${STAT_TAIL}`);
    expect(stat).toMatchObject({ pid: 43, name: 'postgres: io (1) S 9', parentPid: 7 });
  });

  it('finds nothing in the empty text of a process that has ended', () => {
    expect(parseStat('')).toBeUndefined();
  });
});

describe('familyOf', () => {
  it('takes the roots and all their descendants, in whatever order they are listed', () => {
    const stat = (pid: number, parentPid: number) => ({ pid, parentPid, name: 'x', cpuMs: 0 });
    const all = [stat(5, 4), stat(4, 3), stat(3, 1), stat(2, 1), stat(9, 2)];
    expect(familyOf([3], all).map((each) => each.pid)).toEqual([5, 4, 3]);
  });
});

describe('parseMemoryPeak', () => {
  it('reads the high-water mark and not the present size', () => {
    const status = 'VmPeak:\t  900 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\n';
    expect(parseMemoryPeak(status)).toBe(300 * 1024);
    expect(parseResident(status)).toBe(200 * 1024);
  });
});

describe('parseBusyMs', () => {
  it('counts everything but idling and waiting for the disk', () => {
    const text = 'cpu  100 20 30 9000 800 4 5 6 70 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n';
    expect(parseBusyMs(text)).toBe((100 + 20 + 30 + 4 + 5 + 6) * 10);
  });
});

describe('usageOf', () => {
  it('sees the processor time that this very process spends', () => {
    const own = () => usageOf(familyOf([process.pid], listProcesses()));
    const before = own();
    const until = performance.now() + 200;
    while (performance.now() < until) Math.sqrt(until);
    const after = own();
    expect(after.cpuMs).toBeGreaterThan(before.cpuMs);
    expect(after.memoryPeakBytes).toBeGreaterThan(1024 * 1024);
  });
});
