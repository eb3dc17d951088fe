import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readCatalogueSearch } from './search.ts';

export const operatorCatalogueRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/catalogue/$section',
  validateSearch: readCatalogueSearch,
  component: lazyRouteComponent(() => import('./catalogue.tsx'), 'Catalogue'),
});
