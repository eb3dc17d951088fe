import { useSyncExternalStore } from 'react';

/** Counts the changes of the theme, so that what is painted with its colours is painted again. */
let changes = 0;

function subscribe(tell: () => void): () => void {
  const changed = () => {
    changes++;
    tell();
  };
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}

export function useThemeChanges(): number {
  return useSyncExternalStore(subscribe, () => changes);
}
