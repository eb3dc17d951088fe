import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

export const POOLS = ['credits', 'balance'] as const;

export interface WalletSearch {
  readonly pool?: (typeof POOLS)[number] | undefined;
  readonly page?: number | undefined;
}

export const walletRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/wallet',
  // Every field is there: where one is missing the router keeps what it read itself.
  validateSearch: (given: Record<string, unknown>): WalletSearch => {
    const pool = POOLS.find((each) => each === given.pool);
    const page = Number(given.page);
    const isPage = Number.isSafeInteger(page) && page > 1 && page <= 1_000_000;
    return { pool, page: isPage ? page : undefined };
  },
  component: lazyRouteComponent(() => import('./wallet.tsx'), 'Wallet'),
});
