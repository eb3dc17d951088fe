/** X.Y.Z, with a pre-release behind a hyphen if there is one. */
export function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9a-z]+(?:\.[0-9a-z]+)*)?$/.test(text);
}

export interface PublishingState {
  readonly version: string;
  readonly manifestVersion: string;
  /** What `git status --porcelain` says. */
  readonly changes: string;
  readonly tags: readonly string[];
  readonly changelog: string;
}

/** Why this must not be published; nothing when it may. A dry release asks none of it. */
export function refusePublishing(state: PublishingState): readonly string[] {
  const { version, manifestVersion, changes, tags, changelog } = state;
  const problems: string[] = [];
  if (changes.trim() !== '') problems.push('the working tree has changes; commit them first');
  if (manifestVersion !== version) problems.push(`package.json says ${manifestVersion}, not ${version}`);
  if (tags.includes(`v${version}`)) problems.push(`the tag v${version} exists already`);
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} `));
  if (heading === undefined || !/\d{4}-\d{2}-\d{2}/.test(heading)) {
    problems.push(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)"`);
  }
  return problems;
}
