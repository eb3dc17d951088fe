/** A call of the model that waits for its response. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The client brought no id: Google itself pairs such calls by name and order. */
  readonly isAnonymous: boolean;
}

/**
 * Finds for every function response the call it answers (conversion.md 6.8): by id, else by name and order.
 * Ids that the client does not have are made from positions, so that the same history gives the same ids.
 */
export class CallPairs {
  #open: OpenCall[] = [];
  #isAnswering = false;

  /** The id of a call at this place of the conversation. */
  ask(name: string, id: string | undefined, place: string): string {
    // A new step of the model: what is still open will not be answered any more.
    if (this.#isAnswering) this.#open = [];
    this.#isAnswering = false;
    const isAnonymous = id === undefined || id === '';
    const call = { id: isAnonymous ? `call_${place}` : id, name, isAnonymous };
    this.#open.push(call);
    return call.id;
  }

  /** The id of the call that is answered; one of its own when there is none. */
  answer(name: string, id: string | undefined, place: string): string {
    this.#isAnswering = true;
    const at = this.#find(name, id);
    if (at === -1) return id === undefined || id === '' ? `call_${place}` : id;
    const [call] = this.#open.splice(at, 1);
    return call?.id ?? '';
  }

  #find(name: string, id: string | undefined): number {
    if (id !== undefined && id !== '') {
      const same = this.#open.findIndex((call) => call.id === id);
      if (same !== -1) return same;
      return this.#open.findIndex((call) => call.isAnonymous && call.name === name);
    }
    const named = this.#open.findIndex((call) => call.name === name);
    return named === -1 && name === '' && this.#open.length > 0 ? 0 : named;
  }
}
