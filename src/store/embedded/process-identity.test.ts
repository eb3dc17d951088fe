import { describe, expect, test } from 'vitest';
import { isAlive, judge, type ProcessIdentity, parseIdentity, thisProcess } from './process-identity.ts';

/** In a container of some machine; nobody has this number here. */
const at = (boot: string, ticks: number, namespace: string, host: string): ProcessIdentity => ({
  pid: 4_194_000,
  started: `${boot}:${ticks}`,
  namespace,
  host,
});
const own = at('boot-a', 100, 'pid:[1]', 'web-1');

describe('a process', () => {
  test('of this namespace is identified by its number and its start', () => {
    const { pid, started, namespace, host } = thisProcess();
    expect(isAlive({ pid, started, namespace, host })).toBe(true);
    expect(judge({ pid, started: `${started}1`, namespace, host })).toBe('dead');
    expect(judge({ pid: 4_194_000, started, namespace, host })).toBe('dead');
  });

  test('of another namespace of this kernel is not judged by its number, with any host name', () => {
    expect(judge(at('boot-a', 900, 'pid:[2]', 'web-2'), own)).toBe('other-namespace');
    expect(judge(at('boot-a', 100, 'pid:[2]', 'web-1'), own)).toBe('other-namespace');
  });

  test('of another machine is not judged, even with the same namespace number', () => {
    expect(judge(at('boot-b', 100, 'pid:[1]', 'web-2'), own)).toBe('other-machine');
    expect(judge(at('', 100, 'pid:[1]', 'web-2'), { ...own, started: ':100' })).toBe('other-machine');
  });

  test('of this machine before its reboot is dead', () => {
    expect(judge(at('boot-b', 100, 'pid:[1]', 'web-1'), own)).toBe('dead');
    expect(judge(at('boot-b', 100, 'pid:[2]', 'web-1'), own)).toBe('dead');
  });

  test('that wrote no namespace is judged by its number', () => {
    const { pid, started } = thisProcess();
    const old = parseIdentity(JSON.stringify({ pid, started }));
    expect(old).toEqual({ pid, started, namespace: '', host: '' });
    expect(old && judge(old, own)).toBe('alive');
    expect(judge(at('boot-b', 100, '', ''), own)).toBe('dead');
  });

  test('is read back as it was written, and any other text is refused', () => {
    expect(parseIdentity(JSON.stringify(own))).toEqual(own);
    for (const broken of ['', '[]', '{"pid":0,"started":""}', '{"pid":1,"started":"","host":2}']) {
      expect(parseIdentity(broken)).toBeUndefined();
    }
  });
});
