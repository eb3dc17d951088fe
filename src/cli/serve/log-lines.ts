import { LOG_PENDING_BYTES_MAX } from '../../bounds.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';

/** How a log reads on a terminal: one short line for each event. */
export interface LineStyle {
  /** The time as a person there reads it. */
  readonly time: (timeMs: number) => string;
  readonly colours: 'on' | 'off';
  /** Where each fault came from, besides what it says. */
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
/** What every event has, shown at its own place or of no use to who sits at the machine. */
const KNOWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'reason', 'missing', 'err']);

/** A line of the log as pino writes it, for people; what is no event of ours stays as it is. */
export function lineForPeople(json: string, style: LineStyle): string {
  const event = eventOf(json);
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
    [event.msg, event.reason, event.missing, faultOf(event.err)].filter(isSaid).map(shown).join(': '),
    paint(fields.join(' '), GREY),
  ];
  const line = parts.filter((part) => part !== '').join('  ');
  return `${line}\n${style.stacks === 'whole' ? stackOf(event.err) : ''}`;
}

type Event = Readonly<Record<string, unknown>>;

function eventOf(json: string): Event | undefined {
  const read = parseJson(json, { bytesMax: LOG_PENDING_BYTES_MAX, depthMax: DEPTH_MAX });
  return read.kind === 'parsed' && isJsonObject(read.value) ? read.value : undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function faultOf(fault: unknown): unknown {
  if (!isJsonObject(fault)) return fault;
  const { type, message } = fault;
  return type === 'Error' || type === undefined ? message : `${type}: ${message}`;
}

function stackOf(fault: unknown): string {
  const stack = isJsonObject(fault) ? fault.stack : undefined;
  return String(stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => `${shown(line)}\n`)
    .join('');
}

/** Some of it came from outside: what would move the cursor or colour the terminal is shown as a dot. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·');
}
