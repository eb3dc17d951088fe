import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

export const PERIODS = ['7', '30', '90'] as const;

export interface KeySearch {
  /** A part of a name or of a prefix. */
  readonly q?: string | undefined;
  /** Days whose spend is shown; 30 unless told. */
  readonly days?: (typeof PERIODS)[number] | undefined;
  /** The drawer: a new key, or the id of one. */
  readonly open?: 'new' | number | undefined;
  /** The client whose snippet is shown. */
  readonly client?: string | undefined;
}

const WORD_MAX = 256;

function word(given: unknown): string | undefined {
  const text = typeof given === 'number' ? String(given) : given;
  return typeof text === 'string' && text !== '' && text.length <= WORD_MAX ? text : undefined;
}

function readOpen(given: unknown): KeySearch['open'] {
  if (given === 'new') return 'new';
  return Number.isSafeInteger(given) && Number(given) > 0 ? Number(given) : undefined;
}

export const keysRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/keys',
  validateSearch: (given: Record<string, unknown>): KeySearch => ({
    q: word(given.q),
    days: PERIODS.find((each) => each === String(given.days)),
    open: readOpen(given.open),
    client: word(given.client),
  }),
  component: lazyRouteComponent(() => import('./keys.tsx'), 'Keys'),
});
