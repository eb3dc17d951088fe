import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/queries.ts';
import { watchConnection } from './app/connection.ts';
import { loadOpenedPlace, router } from './router.ts';
import './tokens.css';
import './base.css';

const place = document.getElementById('console');
if (place === null) throw new Error('the page has no place for the console');

watchConnection();
loadOpenedPlace();
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
