import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * What stands behind `#` in a link that was printed or mailed: a token, which no server sees. It leaves the
 * address at once.
 */
export function useLinkHash(to: '/setup' | '/reset-password' | '/verify-address'): string {
  const hash = useLocation().hash.replace(/^#/, '');
  const navigate = useNavigate();
  const [kept, setKept] = useState(hash);
  useEffect(() => {
    if (hash === '') return;
    setKept(hash);
    void navigate({ to, hash: '', replace: true });
  }, [hash, to, navigate]);
  return kept;
}
