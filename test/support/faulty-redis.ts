import type { RedisClient } from '../../src/gate/redis/script.ts';

/** A connection that breaks when it is told to: before the question arrives, or before the answer does. */
export class FaultyRedis implements RedisClient {
  readonly #client: RedisClient;
  lose: 'nothing' | 'questions' | 'answers' = 'nothing';
  /** Questions that got lost, for a network that brings them after all. */
  readonly lost: (() => Promise<unknown>)[] = [];
  /** What happens between an answer and the next question. */
  afterwards: () => Promise<void> = async () => undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  evalsha(hash: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return this.#through(() => this.#client.evalsha(hash, keyCount, ...rest));
  }

  eval(text: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return this.#through(() => this.#client.eval(text, keyCount, ...rest));
  }

  async #through(ask: () => Promise<unknown>): Promise<unknown> {
    const { lose } = this;
    if (lose === 'questions') this.lost.push(ask);
    const answer = lose === 'questions' ? undefined : await ask();
    if (lose === 'nothing') await this.afterwards();
    else throw new Error('Connection is closed.');
    return answer;
  }
}
