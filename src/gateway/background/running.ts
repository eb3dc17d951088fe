/** The responses that this process works on in the background, by their ids. */
export class RunningResponses {
  readonly #cancels = new Map<string, () => void>();

  began(accountId: number, id: string, cancel: () => void): void {
    this.#cancels.set(keyOf(accountId, id), cancel);
  }

  ended(accountId: number, id: string): void {
    this.#cancels.delete(keyOf(accountId, id));
  }

  /** Nothing happens if another process works on it, or none. */
  cancel(accountId: number, id: string): void {
    this.#cancels.get(keyOf(accountId, id))?.();
  }
}

function keyOf(accountId: number, id: string): string {
  return `${accountId} ${id}`;
}
