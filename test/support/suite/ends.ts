/**
 * What the end of a test, or of a test file, ends as well. Files share processes, and a module that several
 * files import is loaded once: hooks at its top would work for the first of those files only.
 */
type End = () => Promise<void> | void;

const testEnds: End[] = [];
const fileEnds: End[] = [];

/** `end` runs after the test that is running, the newest first. */
export function atTestEnd(end: End): void {
  testEnds.push(end);
}

/** `end` runs once, after the hooks of the test file, the newest first. */
export function atFileEnd(end: End): void {
  fileEnds.push(end);
}

export const endTest = (): Promise<void> => runAll(testEnds);
export const endFile = (): Promise<void> => runAll(fileEnds);

async function runAll(ends: End[]): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
