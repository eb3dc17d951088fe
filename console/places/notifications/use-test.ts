import type { ApiError } from '../../api/api.ts';
import { type Desk, useDeskWrite } from './desk.ts';

/** How a test went. `waits`: it was neither sent nor refused within the time. */
export type Outcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'waits' };

const LOOKS_MAX = 30;
const LOOK_MS = 500;

/** A test goes the way of every alert, so its message says how it went, a moment later. */
async function runTest(desk: Desk, id: number): Promise<Outcome> {
  const message = await desk.test(id);
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const found = await desk.findDelivery(message);
    if (found?.status === 'sent') return { kind: 'sent' };
    // It is tried again later. The first answer is what the button was pressed for.
    if (typeof found?.last_error === 'string') return { kind: 'failed', reason: found.last_error };
  }
  return { kind: 'waits' };
}

export interface ChannelTest {
  readonly isPending: boolean;
  readonly outcome: Outcome | undefined;
  readonly error: ApiError | null;
  readonly run: () => void;
}

export function useChannelTest(desk: Desk, id: number): ChannelTest {
  const { isPending, data, error, mutate } = useDeskWrite(desk, () => runTest(desk, id));
  return { isPending, outcome: data, error, run: () => mutate(undefined) };
}
