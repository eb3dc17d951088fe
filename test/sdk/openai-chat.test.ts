import { expect } from 'vitest';
import { BOTH, type Cell, type Scenario, speak, THINKING } from './cell.ts';
import type { Reply, Round } from './clients/client.ts';
import { openaiChat } from './clients/openai-chat-client.ts';
import { matrix } from './matrix.ts';
import { loop, roundOf, SENTINEL, TOOLS } from './scenarios/tools.ts';
import { gatewayOf } from './world.ts';

/** What the gateway keeps for clients that write every message anew, and for nobody else. */
const rebuilt: Scenario = {
  name: 'tool loop, messages rebuilt',
  meaning: 'the same by a client that keeps only role, content and calls: the gateway remembers the rest',
  modes: BOTH,
  run: (cell) => loop.run({ ...cell, client: openaiChat('rebuilt')(gatewayOf(cell.world)) }),
};

const stranger: Scenario = {
  name: 'another account’s call',
  meaning: 'a call that another account replays is answered, without anything that was kept for its owner',
  modes: BOTH,
  run: async (cell) => {
    const key = await cell.world.newKey('stranger@example.com');
    for (const { model, thinking, words } of THINKING[cell.upstream]) {
      const wish = { model, thinking, tools: TOOLS, words: `${words} tool=weather thinking=20` };
      const own = asAccount(cell, `${cell.tag}-${model}-${words}`, cell.world.key);
      const first = await speak(own, wish);
      const rounds: readonly Round[] = [roundOf(first.reply)];
      const other = asAccount(cell, `${own.tag}-stranger`, key);
      const replayed = await speak(other, { ...wish, rounds });
      expect(replayed.reply.text).toBe(replayed.said.text);
      expect(replayed.request.calls).toMatchObject(first.reply.calls.map(nameAndInput));
      expect(replayed.request.signatures.filter((signature) => !SENTINEL.test(signature))).toEqual([]);
      const again = await speak(own, { ...wish, rounds });
      expect(again.request.signatures.filter((signature) => !SENTINEL.test(signature))).toHaveLength(
        cell.upstream === 'chat' ? 0 : 1,
      );
    }
  },
};

function asAccount(cell: Cell, tag: string, key: string): Cell {
  return { ...cell, tag, client: openaiChat('rebuilt')(gatewayOf(cell.world, key)) };
}

function nameAndInput({ name, input }: Reply['calls'][number]): object {
  return { name, input };
}

matrix({ client: 'openai, Chat Completions', make: openaiChat(), extra: [rebuilt, stranger] });
