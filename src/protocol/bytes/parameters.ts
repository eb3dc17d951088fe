/** A header's value and its parameters: `multipart/form-data; boundary=x`. */
export interface Parameterized {
  /** In lower case. */
  readonly value: string;
  /** By name, in lower case. Values as written, without their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const VALUE = /[ \t]*([^\s;,"=]+)/y;
/** RFC 9110, 5.6.6: no space around the equals sign; the text between semicolons may be empty. */
const PARAMETER =
  /[ \t]*;[ \t]*(?:([!#$%&'*+\-.^_`|~\w]+)=(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+\-.^_`|~\w]+)))?/y;
const END = /[ \t]*$/y;

/**
 * `undefined` if it is not in the strict form or repeats a parameter: lenient readers differ in how they read
 * that.
 */
export function readParameters(text: string): Parameterized | undefined {
  VALUE.lastIndex = 0;
  const value = VALUE.exec(text)?.[1];
  if (value === undefined) return undefined;
  const parameters = new Map<string, string>();
  let at = VALUE.lastIndex;
  for (;;) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) break;
    at = PARAMETER.lastIndex;
    const [, name, quoted, token] = match;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (parameters.has(key)) return undefined;
    parameters.set(key, quoted ?? token ?? '');
  }
  END.lastIndex = at;
  return END.test(text) ? { value: value.toLowerCase(), parameters } : undefined;
}

/** Whether a text of this type may be read as UTF-8: its charset is UTF-8 or not given. */
export function isUtf8Type({ parameters }: Parameterized): boolean {
  for (const [name, value] of parameters) {
    if (name.startsWith('charset') && (name !== 'charset' || !/^utf-?8$/i.test(value))) return false;
  }
  return true;
}
