import { expect } from 'vitest';
import { until } from '../support/processes.ts';

export interface Crowd {
  readonly url: string;
  readonly key: string;
  readonly limit: number;
  readonly simulator: { readonly stats: { readonly open: number; peakOpen: number } };
}

/** All of them have asked before the first is done, also on a busy machine. */
const DELAY_MS = 6_000;

/** Of twice as many as may, exactly the limit runs at once by the vendor's own count, and no other. */
export async function expectExactly({ url, key, limit, simulator }: Crowd): Promise<void> {
  await until(() => simulator.stats.open === 0);
  simulator.stats.peakOpen = 0;
  const statuses = await Promise.all(
    Array.from({ length: limit * 2 }, async () => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'slow',
          messages: [{ role: 'user', content: `[[sim tokens=2 delay=${DELAY_MS}]]` }],
          max_completion_tokens: 10,
        }),
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const served = statuses.filter((status) => status === 200).length;
  const refused = statuses.filter((status) => status === 429).length;
  expect({ served, refused }).toEqual({ served: limit, refused: limit });
  expect(simulator.stats.peakOpen).toBe(limit);
}
