import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { openLayout } from '../../app/layouts.ts';
import { readModelsSearch } from './search.ts';

export const modelsRoute = createRoute({
  getParentRoute: () => openLayout,
  path: '/models',
  validateSearch: readModelsSearch,
  component: lazyRouteComponent(() => import('./models.tsx'), 'Models'),
});
