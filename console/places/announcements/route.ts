import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { openLayout } from '../../app/layouts.ts';

export const announcementsRoute = createRoute({
  getParentRoute: () => openLayout,
  path: '/announcements',
  component: lazyRouteComponent(() => import('./announcements.tsx'), 'Announcements'),
});
