/** JSON values as the languages of the snippets write them. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What fits into one line stays in one. */
const LINE_MAX = 76;

interface Notation {
  readonly text: (value: string) => string;
  readonly key: (key: string) => string;
  readonly words: { readonly true: string; readonly false: string; readonly null: string };
  readonly indent: string;
  /** Between the braces of an object in one line. */
  readonly space: string;
}

const JAVASCRIPT: Notation = {
  text: javaScriptText,
  key: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : javaScriptText(key)),
  words: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
  space: ' ',
};

const PYTHON: Notation = {
  text: JSON.stringify,
  key: JSON.stringify,
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
  space: '',
};

const JSON_NOTATION: Notation = {
  text: JSON.stringify,
  key: JSON.stringify,
  words: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
  space: ' ',
};

/** In single quotes. A line separator would end the text in old engines, so it is escaped too. */
export function javaScriptText(value: string): string {
  const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

export function javaScript(value: Json): string {
  return write(value, JAVASCRIPT, '');
}

export function python(value: Json): string {
  return write(value, PYTHON, '');
}

/** JSON over several lines, with short parts in one line. */
export function prettyJson(value: Json): string {
  return write(value, JSON_NOTATION, '');
}

/** The arguments of a call: `name=value`, each on a line of its own. */
export function pythonArguments(values: { readonly [key: string]: Json }): string {
  const lines = Object.entries(values).map(([key, value]) => `    ${key}=${write(value, PYTHON, '    ')},`);
  return `(\n${lines.join('\n')}\n)`;
}

function write(value: Json, notation: Notation, indent: string): string {
  const short = writeShort(value, notation);
  if (indent.length + short.length <= LINE_MAX && !short.includes('\n')) return short;
  const inner = indent + notation.indent;
  if (Array.isArray(value)) {
    const lines = (value as readonly Json[]).map((each) => `${inner}${write(each, notation, inner)}`);
    return wrap(lines, ['[', ']'], { notation, indent });
  }
  if (typeof value !== 'object' || value === null) return short;
  const lines = Object.entries(value).map(
    ([key, each]) => `${inner}${notation.key(key)}: ${write(each, notation, inner)}`,
  );
  return wrap(lines, ['{', '}'], { notation, indent });
}

function wrap(
  lines: readonly string[],
  [open, close]: readonly [string, string],
  { notation, indent }: { readonly notation: Notation; readonly indent: string },
): string {
  const last = notation === JSON_NOTATION ? '' : ',';
  return `${open}\n${lines.join(',\n')}${last}\n${indent}${close}`;
}

function writeShort(value: Json, notation: Notation): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return String(value);
  if (value === null) return notation.words.null;
  if (typeof value === 'boolean') return notation.words[value ? 'true' : 'false'];
  if (Array.isArray(value))
    return `[${(value as readonly Json[]).map((each) => writeShort(each, notation)).join(', ')}]`;
  const parts = Object.entries(value).map(
    ([key, each]) => `${notation.key(key)}: ${writeShort(each, notation)}`,
  );
  return parts.length === 0 ? '{}' : `{${notation.space}${parts.join(', ')}${notation.space}}`;
}

/** A word of a shell: quoted only where it must be. */
export function shell(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
