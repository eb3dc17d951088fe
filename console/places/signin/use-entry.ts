import { type FormEvent, useState } from 'react';
import type { ApiError } from '../../api/api.ts';
import { useNow } from '../../parts/text/now.ts';

/** Without a time of the server. */
const WAIT_MS = 60_000;

export interface Entry {
  readonly error: ApiError | undefined;
  readonly isPending: boolean;
  /** Too many attempts: what is left until the next one. Undefined: the way is open. */
  readonly waitMs: number | undefined;
  readonly submit: (event: FormEvent) => void;
}

/** A form that opens a session. It waits as long as the server says, then opens again by itself. */
export function useEntry(enter: () => Promise<void>): Entry {
  const [error, setError] = useState<ApiError>();
  const [isPending, setPending] = useState(false);
  const [opensAt, setOpensAt] = useState(0);
  const left = opensAt - useNow();
  const waitMs = left > 0 ? left : undefined;
  const run = async (): Promise<void> => {
    setPending(true);
    setError(undefined);
    try {
      await enter();
    } catch (caught) {
      const refusal = caught as ApiError;
      setError(refusal);
      if (refusal.status === 429) setOpensAt(Date.now() + (refusal.retryAfterMs ?? WAIT_MS));
    } finally {
      setPending(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending && waitMs === undefined) void run();
  };
  // When the wait is over, so is its reason.
  const isOver = error?.status === 429 && waitMs === undefined;
  return { error: isOver ? undefined : error, isPending, waitMs, submit };
}
