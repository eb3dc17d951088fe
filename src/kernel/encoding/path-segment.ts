/** A percent-encoded part of a path as text; `undefined` if it is not well encoded. */
export function decodeSegment(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
