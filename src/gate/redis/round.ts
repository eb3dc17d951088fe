/**
 * Sends to every account, a bounded number at the same time. Returns whether all succeeded. A failure does
 * not delay others, because servers of a cluster fail independently. After too many failures Redis as a whole
 * may be unreachable, and the rest waits for the next round.
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
      // It goes to the end, so that the next round begins with the accounts that this one did not reach.
      if (accounts.get(id) === account && accounts.delete(id)) accounts.set(id, account);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return unheard === 0;
}
