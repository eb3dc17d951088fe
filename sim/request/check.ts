import { DEPTH_MAX, PROBLEMS_MAX } from '../bounds.ts';
import { isRecord, jsonType, type Path, type Problem, type Shape, type Struct } from './shape.ts';

type Of<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>;
type Problems = readonly Problem[];

const NONE: Problems = [];

/** Problems in the order in which the vendors report them: unknown fields come before wrong types. */
export function check(shape: Shape, value: unknown): Problems {
  const problems = walk(shape, value, []).slice(0, PROBLEMS_MAX);
  const unknown = problems.filter((problem) => problem.code === 'unknown');
  return [...unknown, ...problems.filter((problem) => problem.code !== 'unknown')];
}

function walk(shape: Shape, value: unknown, path: Path): Problems {
  if (path.length > DEPTH_MAX) return NONE;
  switch (shape.kind) {
    case 'anything':
      return NONE;
    case 'flag':
      return typeof value === 'boolean' ? NONE : wrongType(path, 'boolean', value);
    case 'text':
      return walkText(shape, value, path);
    case 'number':
      return walkNumber(shape, value, path);
    case 'list':
      return walkList(shape, value, path);
    case 'map':
      return walkMap(shape, value, path);
    case 'struct':
      return walkStruct(shape, value, path);
    case 'variant':
      return walkVariant(shape, value, path);
    case 'either':
      return walkEither(shape, value, path);
  }
}

function walkText(shape: Of<'text'>, value: unknown, path: Path): Problems {
  if (typeof value !== 'string') return wrongType(path, 'string', value);
  const { values, max, pattern } = shape;
  if (values !== undefined && !values.includes(value)) {
    return [{ code: 'value', path, got: value, supported: values }];
  }
  if (max !== undefined && value.length > max) return [{ code: 'long', path, got: value, limit: max }];
  if (pattern === undefined || pattern.test(value)) return NONE;
  return [{ code: 'pattern', path, got: value, expected: pattern.source }];
}

function walkNumber(shape: Of<'number'>, value: unknown, path: Path): Problems {
  const expected = shape.integer === undefined ? 'decimal' : 'integer';
  if (typeof value !== 'number' || (shape.integer !== undefined && !Number.isInteger(value))) {
    return wrongType(path, expected, value);
  }
  const { min, max } = shape;
  if (min !== undefined && value < min) return [{ code: 'below', path, got: value, limit: min, expected }];
  if (max !== undefined && value > max) return [{ code: 'above', path, got: value, limit: max, expected }];
  return NONE;
}

function walkList(shape: Of<'list'>, value: unknown, path: Path): Problems {
  if (!Array.isArray(value)) return wrongType(path, 'array', value);
  const { min = 0, max } = shape;
  if (value.length < min) return [{ code: 'few', path, got: value.length, limit: min }];
  if (max !== undefined && value.length > max) return [{ code: 'many', path, got: value.length, limit: max }];
  return value.flatMap((item, index) => walk(shape.of, item, [...path, index]));
}

function walkMap(shape: Of<'map'>, value: unknown, path: Path): Problems {
  if (!isRecord(value)) return wrongType(path, 'object', value);
  const entries = Object.entries(value);
  if (shape.max !== undefined && entries.length > shape.max) {
    return [{ code: 'many', path, got: entries.length, limit: shape.max }];
  }
  return entries.flatMap(([name, item]) => walk(shape.of, item, [...path, name]));
}

function walkStruct(shape: Struct, value: unknown, path: Path): Problems {
  if (!isRecord(value)) return wrongType(path, 'object', value);
  const unknown = Object.keys(value).filter((name) => !shape.fields.has(name));
  const missing = shape.required.filter((name) => value[name] === undefined);
  const problems: Problem[] = [
    ...unknown.map((name) => ({ code: 'unknown', path: [...path, name] }) as const),
    ...missing.map((name) => ({ code: 'missing', path: [...path, name] }) as const),
  ];
  for (const [name, field] of shape.fields) {
    const item = value[name];
    if (item === undefined || (item === null && !shape.required.includes(name))) continue;
    problems.push(...walk(field, item, [...path, name]));
  }
  return problems;
}

function walkVariant(shape: Of<'variant'>, value: unknown, path: Path): Problems {
  if (!isRecord(value)) return wrongType(path, 'object', value);
  const name = value[shape.tag] ?? shape.absent;
  const at = [...path, shape.tag];
  if (name === undefined) return [{ code: 'missing', path: at }];
  const chosen = typeof name === 'string' ? shape.of.get(name) : undefined;
  if (chosen !== undefined) return walk(chosen, value, path);
  return [{ code: 'value', path: at, got: name, supported: [...shape.of.keys()] }];
}

/** Picks the alternative of the value's own JSON type; when none fits, all of them are named. */
function walkEither(shape: Of<'either'>, value: unknown, path: Path): Problems {
  const type = jsonType(value);
  const fitting = shape.of.find((option) => jsonTypes(option).includes(type));
  if (fitting !== undefined) return walk(fitting, value, path);
  const expected = shape.of.map((option) => jsonTypes(option)[0] ?? 'object').join(' or ');
  return wrongType(path, expected, value);
}

const TYPES: Readonly<Partial<Record<Shape['kind'], readonly string[]>>> = {
  anything: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  flag: ['boolean'],
  text: ['string'],
  number: ['number'],
  list: ['array'],
};

function jsonTypes(shape: Shape): readonly string[] {
  return shape.kind === 'either' ? shape.of.flatMap(jsonTypes) : (TYPES[shape.kind] ?? ['object']);
}

function wrongType(path: Path, expected: string, got: unknown): Problems {
  return [{ code: 'type', path, expected, got }];
}
