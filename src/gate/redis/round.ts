/**
 * Tells Redis of every account, so many at the same time; whether all were heard. One that is not heard holds
 * up no other, for the servers of a cluster are not away together. When so many are not heard, Redis may be
 * away as a whole, and the rest waits for the next round.
 */
export async function goRound<Account>(
  accounts: Map<number, Account>,
  atOnce: number,
  tell: (account: Account) => Promise<boolean>,
): Promise<boolean> {
  let unheard = 0;
  // All take from the same list.
  const waiting = [...accounts].values();
  const takeTurns = async (): Promise<void> => {
    for (const [id, account] of waiting) {
      if (unheard >= atOnce) return;
      if (await tell(account)) continue;
      unheard += 1;
      // It goes to the end, so that the next round begins with those that this one may not come to.
      if (accounts.get(id) === account && accounts.delete(id)) accounts.set(id, account);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return unheard === 0;
}
