import type { Json } from '../request/json.ts';
import { isRecord, type Shape } from '../request/shape.ts';

/** Protobuf JSON takes both spellings of a field; inside of free values names are the caller's own. */
export function camelize(shape: Shape, value: unknown): unknown {
  if (shape.kind === 'list') {
    if (Array.isArray(value)) return value.map((item) => camelize(shape.of, item));
    // One message may stand for a list of one.
    return isRecord(value) ? [camelize(shape.of, value)] : value;
  }
  if (!isRecord(value)) return value;
  if (shape.kind === 'map') {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, camelize(shape.of, item)]));
  }
  if (shape.kind !== 'struct') return value;
  const renamed: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const known = shape.fields.has(name) ? name : camel(name);
    const field = shape.fields.get(known);
    renamed[field === undefined ? name : known] = field === undefined ? item : camelize(field, item);
  }
  return renamed satisfies Json;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
