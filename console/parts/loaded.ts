import { useEffect, useState } from 'react';

/**
 * What a module exports, read after the first paint; undefined until then. React's `lazy` would hold the page
 * back by up to 300 ms, so that placeholders do not flicker.
 */
export function useLoaded<Module>(load: () => Promise<Module>): Module | undefined {
  const [loaded, setLoaded] = useState<Module>();
  useEffect(() => {
    let isGone = false;
    load().then(
      (module) => isGone || setLoaded(() => module),
      (error: unknown) => {
        // Thrown while it is drawn, so that the page says that it is broken, and can be opened again.
        if (isGone) return;
        setLoaded(() => {
          throw error;
        });
      },
    );
    return () => {
      isGone = true;
    };
  }, [load]);
  return loaded;
}
