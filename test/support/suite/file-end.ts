/** What the end of a test file ends as well. Files that share a process share this list. */
const ends = new Set<() => Promise<void>>();

/** `end` runs once, after the hooks of the test file. */
export function atFileEnd(end: () => Promise<void>): void {
  ends.add(end);
}

export async function endFile(): Promise<void> {
  const due = [...ends];
  ends.clear();
  await Promise.all(due.map((end) => end()));
}
