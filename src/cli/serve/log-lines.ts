import { LOG_PENDING_BYTES_MAX } from '../../bounds.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';

/** The form of the log on a terminal: one short line for each event. */
export interface LineStyle {
  /** Formats the time for people. */
  readonly time: (timeMs: number) => string;
  readonly colours: 'on' | 'off';
  /** Whether stack traces are shown. */
  readonly stacks: 'whole' | 'none';
}

const LEVELS: Readonly<Record<number, readonly [name: string, colour: number]>> = {
  10: ['trace', 90],
  20: ['debug', 90],
  30: ['info', 32],
  40: ['warn', 33],
  50: ['error', 31],
  60: ['fatal', 31],
};
const GREY = 90;
const DEPTH_MAX = 32;
/** Fields of every event that have their own place in the line or do not help at a terminal. */
const KNOWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'reason', 'missing', 'err']);

/** Formats a line of pino for people. A line that is not an event stays as it is. */
export function lineForPeople(json: string, style: LineStyle): string {
  const event = parseEvent(json);
  if (event === undefined) return json;
  const [level, colour] = LEVELS[Number(event.level)] ?? ['', GREY];
  const paint = (text: string, code: number): string =>
    style.colours === 'on' && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  const fields = Object.entries(event).flatMap(([name, value]) =>
    KNOWN.has(name) ? [] : [`${name}=${shown(value)}`],
  );
  const parts = [
    paint(style.time(Number(event.time)), GREY),
    paint(level.padEnd(5), colour),
    [event.msg, event.reason, event.missing, describeFault(event.err)].filter(isSaid).map(shown).join(': '),
    paint(fields.join(' '), GREY),
  ];
  const line = parts.filter((part) => part !== '').join('  ');
  return `${line}\n${style.stacks === 'whole' ? formatStack(event.err) : ''}`;
}

type Event = Readonly<Record<string, unknown>>;

function parseEvent(json: string): Event | undefined {
  const read = parseJson(json, { bytesMax: LOG_PENDING_BYTES_MAX, depthMax: DEPTH_MAX });
  return read.kind === 'parsed' && isJsonObject(read.value) ? read.value : undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function describeFault(fault: unknown): unknown {
  if (!isJsonObject(fault)) return fault;
  const { type, message } = fault;
  return type === 'Error' || type === undefined ? message : `${type}: ${message}`;
}

function formatStack(fault: unknown): string {
  const stack = isJsonObject(fault) ? fault.stack : undefined;
  return String(stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => `${shown(line)}\n`)
    .join('');
}

/** Parts come from outside, so control characters are shown as a dot. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·');
}
