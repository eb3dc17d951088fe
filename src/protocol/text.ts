/** The text of a JSON string, given the bytes between its quotes. Broken escapes are left as written. */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}
