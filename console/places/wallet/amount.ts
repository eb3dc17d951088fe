/** A typed amount as the server reads it: “1,000.50” and “¥ 50” are meant. Undefined if it is none. */
export function readAmount(typed: string): string | undefined {
  const plain = typed.replaceAll(/[\s,¥￥]/g, '').replace(/^(\d+)\.$/, '$1');
  return /^\d{1,13}(\.\d{1,6})?$/.test(plain) ? plain : undefined;
}
