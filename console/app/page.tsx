import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { sessionEnded } from '../api/api.ts';
import { ToastHost } from '../parts/overlay/toast.tsx';
import { useStore } from './store.ts';

const SignInAgain = lazy(() => import('./shell/sign-in-again.tsx'));

/** Around every page. */
export function Page() {
  const hasEnded = useStore(sessionEnded);
  return (
    <>
      <Outlet />
      <ToastHost />
      {hasEnded && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </>
  );
}
