/** Readers of what an address holds. What makes no sense is dropped: an old address still works. */

export function readOne<Value extends string>(value: unknown, all: readonly Value[]): Value | undefined {
  return all.find((each) => each === value);
}

export function readWhole(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

const TEXT_CHARS_MAX = 200;

/** A text that looks like a number or a word of JSON has become one in the address. */
export function readText(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= TEXT_CHARS_MAX ? text : undefined;
}
