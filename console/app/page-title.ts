import { useEffect } from 'react';

const PRODUCT = 'Tollgate';

/** Names the page in the tab of the browser, the innermost part first. */
export function usePageTitle(...parts: readonly string[]): void {
  const title = [...parts, PRODUCT].join(' – ');
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = PRODUCT;
    };
  }, [title]);
}
