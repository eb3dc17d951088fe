import { inspect } from 'node:util';
import {
  type Attributes,
  type Context,
  type Logger as OtelLogger,
  ROOT_CONTEXT,
  SeverityNumber,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { TELEMETRY_VALUE_CHARS_MAX } from './bounds.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

const SEVERITIES: Readonly<Record<Level, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
};

/** Writes every line to `log`, and exports those of `lowest` and above as log records. */
export function exportLog(log: Logger, lowest: string, otel: OtelLogger, clock: Clock): Logger {
  const isExported = (level: Level): boolean => LEVELS.indexOf(level) >= lowestIndex(lowest);
  const at = (level: Level): Logger[Level] => {
    const write = (fields: object, message: string): void => log[level](fields, message);
    if (!isExported(level)) return write;
    return (fields, message) => {
      write(fields, message);
      otel.emit({
        timestamp: clock.now(),
        severityNumber: SEVERITIES[level],
        severityText: level.toUpperCase(),
        body: message,
        attributes: toAttributes(fields),
        context: contextOf(fields),
      });
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** `trace` exports all, and `silent` nothing. */
function lowestIndex(level: string): number {
  if (level === 'trace') return 0;
  const index = (LEVELS as readonly string[]).indexOf(level);
  return index < 0 ? LEVELS.length : index;
}

/** A line about a call names its trace. A record has that in fields of its own. */
function contextOf(fields: object): Context {
  const { trace_id: traceId, span_id: spanId } = fields as Record<string, unknown>;
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.NONE });
}

function toAttributes(fields: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null || name === 'trace_id' || name === 'span_id') continue;
    if (value instanceof Error) {
      attributes['exception.type'] = value.name;
      attributes['exception.message'] = cut(value.message);
      attributes['exception.stacktrace'] = cut(value.stack ?? '');
    } else attributes[name] = toValue(value);
  }
  return attributes;
}

function toValue(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return cut(
    typeof value === 'string' ? value : inspect(value, { depth: 3, breakLength: Number.POSITIVE_INFINITY }),
  );
}

function cut(text: string): string {
  return text.slice(0, TELEMETRY_VALUE_CHARS_MAX);
}
