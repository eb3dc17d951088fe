/** The encoding to answer with, from the header `accept-encoding`. Undefined: as it is. */
export function acceptedEncoding(accepted: string): 'br' | 'gzip' | undefined {
  const names = accepted
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(?:\.0{1,3})?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim());
  return (['br', 'gzip'] as const).find((name) => names.includes(name));
}
