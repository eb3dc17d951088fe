/** `anthropic-beta: a-2025-01-01, b-20250219`; the header may also come several times. */
export function betasOf(header: string | string[] | undefined): readonly string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

const DATED = /^([a-z0-9-]{1,80}?)-(\d{4}-\d{2}-\d{2}|\d{8})$/;

/** A value without a date is nobody's beta; a family may be named once. */
export function refuseBetas(betas: readonly string[]): string | undefined {
  const families = new Map<string, string>();
  for (const beta of betas) {
    const family = DATED.exec(beta)?.[1];
    if (family === undefined) {
      return (
        `Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header. ` +
        'Please consult our documentation at docs.claude.com or try again without the header.'
      );
    }
    const other = families.get(family);
    if (other !== undefined && other !== beta) {
      return `Incompatible values \`${other}\` and \`${beta}\` for the \`anthropic-beta\` header.`;
    }
    families.set(family, beta);
  }
  return undefined;
}
