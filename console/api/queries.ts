import { notifyManager, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const RETRY_MS_MAX = 3_000;

// A write is shown in the turn in which it begins: a turn later, a switch would go back for a moment.
notifyManager.setScheduler(queueMicrotask);

/** Cached answers are shown at once and read again behind. What the server refuses is not asked again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      // A server that restarts or a database that is away comes back; the page goes on by itself.
      retry: (_count, error) => error instanceof ApiError && error.isPassing,
      retryDelay: (count) => Math.min(500 * 2 ** count, RETRY_MS_MAX),
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
