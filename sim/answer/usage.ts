import type { UsageVariant } from '../request/directive.ts';

/** Stands for a number that JSON can write and JavaScript cannot hold. */
const HUGE = '\u0001huge\u0001';

/** What an early report says too much, in each of its figures. */
const TOO_MUCH = 50;

type Twisted = object | null | undefined;

/** What a vendor with this fault reports in place of the true figures. */
export function twistUsage(variant: UsageVariant, usage: object): Twisted {
  switch (variant) {
    case 'none':
      return undefined;
    case 'null':
      return null;
    case 'wrong-type':
      return mapNumbers(usage, (value) => `${value}`) as object;
    case 'negative':
      return mapNumbers(usage, (value) => -value - 1) as object;
    case 'huge':
      return mapNumbers(usage, () => HUGE) as object;
    default:
      return usage;
  }
}

/** A vendor that corrects itself says too much first; what it says last is true. */
export function earlyUsage(variant: UsageVariant, usage: object): object {
  return variant === 'corrected' ? (mapNumbers(usage, (value) => value + TOO_MUCH) as object) : usage;
}

/** A plain answer is one object: its usage comes last when it is `late`, and twice when it is `repeated`. */
export function arrangeUsage(variant: UsageVariant, answer: string): string {
  if (variant !== 'late' && variant !== 'repeated') return answer;
  const members = JSON.parse(answer) as Record<string, unknown>;
  const name = 'usageMetadata' in members ? 'usageMetadata' : 'usage';
  const { [name]: usage, ...rest } = members;
  const late = JSON.stringify({ ...rest, [name]: usage });
  return variant === 'late' ? late : `{"${name}":${JSON.stringify(usage)},${late.slice(1)}`;
}

/** Serializes what `twistUsage` made: 1e400 is legal JSON and Infinity for most readers. */
export function writeJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return text.includes('\\u0001huge') ? text.replaceAll(JSON.stringify(HUGE), '1e400') : text;
}

function mapNumbers(value: unknown, change: (value: number) => unknown): unknown {
  if (typeof value === 'number') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapNumbers(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapNumbers(item, change)]));
}
