import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTimeFormat } from '../../kernel/time/calendar.ts';
import { type LineStyle, lineForPeople } from './log-lines.ts';

const PLAIN: LineStyle = { time: createTimeFormat('UTC'), colours: 'off', stacks: 'none' };
const TIME_MS = Date.UTC(2026, 10, 15, 9, 5);

/** What people read of an event that is logged this way. */
function read(log: (logger: pino.Logger) => void, style = PLAIN): string {
  const lines: string[] = [];
  const options = { level: 'trace', timestamp: () => `,"time":${TIME_MS}` };
  log(pino(options, { write: (line) => void lines.push(lineForPeople(line, style)) }));
  return lines.join('');
}

test('an event is one line: time, level, message, then its fields', () => {
  expect(read((log) => log.info({ url: 'http://127.0.0.1:8080', workers: 4 }, 'tollgate serves'))).toBe(
    '2026-11-15 09:05:00  info   tollgate serves  url=http://127.0.0.1:8080 workers=4\n',
  );
  expect(read((log) => log.info({}, 'tollgate stopped'))).toBe(
    '2026-11-15 09:05:00  info   tollgate stopped\n',
  );
});

test('the reason of an event is in its message', () => {
  expect(read((log) => log.warn({ reason: 'no route to host', host: 'a' }, 'redis is away'))).toBe(
    '2026-11-15 09:05:00  warn   redis is away: no route to host  host=a\n',
  );
});

test('a fault has its message in the line, and its origin when that is wanted', () => {
  const fail = (log: pino.Logger): void => log.error({ err: new TypeError('not so') }, 'call failed');
  expect(read(fail)).toBe('2026-11-15 09:05:00  error  call failed: TypeError: not so\n');
  const [line, first] = read(fail, { ...PLAIN, stacks: 'whole' }).split('\n');
  expect(line).toBe('2026-11-15 09:05:00  error  call failed: TypeError: not so');
  expect(first).toMatch(/^ {4}at .*log-lines\.test\.ts/);
});

test('levels have colours when they are wanted', () => {
  const painted = read((log) => log.warn({ waiting: 3 }, 'late'), { ...PLAIN, colours: 'on' });
  expect(painted).toBe(
    '\u001b[90m2026-11-15 09:05:00\u001b[0m  \u001b[33mwarn \u001b[0m  late  \u001b[90mwaiting=3\u001b[0m\n',
  );
});

test('foreign text can neither move the cursor nor begin another line', () => {
  const shown = read((log) =>
    log.warn({ detail: 'a\n\u001b[2Jb', list: ['\u202e'] }, 'media was not fetched'),
  );
  expect(shown).toBe('2026-11-15 09:05:00  warn   media was not fetched  detail=a··[2Jb list=["·"]\n');
});

test('a line that is no event stays unchanged', () => {
  expect(lineForPeople('not JSON\n', PLAIN)).toBe('not JSON\n');
});
