/** A factor as a rate: `1.35` is 135. Digits are moved, not computed, so that none is lost. */
export function percentOf(factor: string): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(factor) ?? [];
  if (whole === '') return undefined;
  const moved = `${whole}${fraction.slice(0, 2).padEnd(2, '0')}`.replace(/^0+(?=\d)/, '');
  const rest = fraction.slice(2).replace(/0+$/, '');
  return rest === '' ? moved : `${moved}.${rest}`;
}
