import type { RedisClient } from '../../../src/gate/redis/script.ts';

/** A connection that breaks when it is told to: before the question arrives, or before the answer does. */
export class FaultyRedis implements RedisClient {
  readonly #client: RedisClient;
  lose: 'nothing' | 'questions' | 'answers' = 'nothing';
  /** Whose: of everybody, or of one account, as when one server of a cluster is away. */
  of: number | 'everybody' = 'everybody';
  /** Questions that got lost, for a network that brings them after all. */
  readonly lost: (() => Promise<unknown>)[] = [];
  /** What happens between an answer and the next question. */
  afterwards: () => Promise<void> = async () => undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  evalsha(hash: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return this.#through(rest[0], () => this.#client.evalsha(hash, keyCount, ...rest));
  }

  eval(text: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return this.#through(rest[0], () => this.#client.eval(text, keyCount, ...rest));
  }

  async #through(key: string | undefined, ask: () => Promise<unknown>): Promise<unknown> {
    const lose = this.of === 'everybody' || key?.includes(`{${this.of}}`) ? this.lose : 'nothing';
    if (lose === 'questions') this.lost.push(ask);
    const answer = lose === 'questions' ? undefined : await ask();
    if (lose === 'nothing') await this.afterwards();
    else throw new Error('Connection is closed.');
    return answer;
  }
}
