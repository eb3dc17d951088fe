import type { Position, RedisClient } from '../../../src/gate/redis/script.ts';

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

  get joins(): boolean {
    return this.#client.joins;
  }

  run(hash: string, line: string, position?: Position): Promise<string> {
    return this.#through(hash, () => this.#client.run(hash, line, position));
  }

  async #through(key: string, ask: () => Promise<string>): Promise<string> {
    const lose = this.of === 'everybody' || key.includes(`{${this.of}}`) ? this.lose : 'nothing';
    if (lose === 'questions') this.lost.push(ask);
    const answer = lose === 'questions' ? '' : await ask();
    if (lose !== 'nothing') throw new Error('Connection is closed.');
    await this.afterwards();
    return answer;
  }
}
