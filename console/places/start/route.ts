import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

export interface StartSearch {
  /** The client whose snippet is shown. */
  readonly client?: string | undefined;
  readonly model?: string | undefined;
}

const WORD_MAX = 256;

function word(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' && given.length <= WORD_MAX ? given : undefined;
}

export const startRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/start',
  validateSearch: (given: Record<string, unknown>): StartSearch => ({
    client: word(given.client),
    model: word(given.model),
  }),
  component: lazyRouteComponent(() => import('./start.tsx'), 'Start'),
});
