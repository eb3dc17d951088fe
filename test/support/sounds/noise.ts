const TABLE = Buffer.alloc(65_536);
let state = 1;
for (let at = 0; at < TABLE.length; at++) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  TABLE[at] = (state >>> 24) % 0xfe;
}

/** The same bytes for the same seed, in which no sync word of a frame is found by chance. */
export function noise(bytes: number, seed = 1): Buffer {
  const all = Buffer.allocUnsafe(bytes);
  let from = (seed * 251) % TABLE.length;
  for (let at = 0; at < bytes; from = 0) at += TABLE.copy(all, at, from);
  return all;
}

/** A number of some bytes, the highest first. */
export function big(value: number, bytes: number): Buffer {
  const all = Buffer.alloc(bytes);
  for (let at = bytes - 1, rest = value; at >= 0; at--, rest = Math.floor(rest / 256)) all[at] = rest % 256;
  return all;
}

/** The lowest first. */
export function little(value: number, bytes: number): Buffer {
  return big(value, bytes).reverse();
}
