import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

const MODES = ['chat', 'responses', 'messages', 'gemini', 'images'] as const;
export type Mode = (typeof MODES)[number];
const TABS = ['parameters', 'code', 'raw'] as const;
export type SideTab = (typeof TABS)[number];

/** What one sees, in the address. Values that mean nothing are left out. */
export interface PlaygroundSearch {
  readonly protocol?: Mode;
  readonly model?: string;
  readonly model2?: string;
  readonly model3?: string;
  readonly tab?: SideTab;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined;
}

function readSearch(given: Record<string, unknown>): PlaygroundSearch {
  const protocol = MODES.find((each) => each === given.protocol);
  const tab = TABS.find((each) => each === given.tab);
  const [model, model2, model3] = [given.model, given.model2, given.model3].map(nameOf);
  return {
    ...(protocol !== undefined && { protocol }),
    ...(model !== undefined && { model }),
    ...(model2 !== undefined && { model2 }),
    ...(model3 !== undefined && { model3 }),
    ...(tab !== undefined && { tab }),
  };
}

export const playgroundRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/playground',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./playground.tsx'), 'Playground'),
});
