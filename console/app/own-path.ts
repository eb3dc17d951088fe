/** Stands for the address of this console: only whether a path leaves it matters. */
const HERE = 'http://here.invalid';

/** A path of this console, as it may be given in a link; undefined for what leads elsewhere or is no path. */
export function ownPath(given: unknown): string | undefined {
  if (typeof given !== 'string' || !given.startsWith('/') || !URL.canParse(given, HERE)) return undefined;
  // Browsers read `/\elsewhere` and `/<tab>/elsewhere` as another host, so the parsed address decides.
  const { origin, pathname, search, hash } = new URL(given, HERE);
  if (origin !== HERE || pathname.startsWith('//')) return undefined;
  return pathname + search + hash;
}
