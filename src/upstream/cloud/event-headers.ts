/** Bytes of the values of fixed size, by type; -1: two bytes say the size. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
const TEXT = 7;

/** The headers of one message of an AWS event stream that are texts. `undefined`: they are malformed. */
export function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] as number);
    const type = bytes[nameEnd];
    const fixed = type === undefined ? undefined : VALUE_BYTES[type];
    if (fixed === undefined) return undefined;
    const start = fixed < 0 ? nameEnd + 3 : nameEnd + 1;
    if (start > bytes.length) return undefined;
    const end = start + (fixed < 0 ? bytes.readUInt16BE(nameEnd + 1) : fixed);
    if (end > bytes.length) return undefined;
    if (type === TEXT) found.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end));
    at = end;
  }
  return found;
}
