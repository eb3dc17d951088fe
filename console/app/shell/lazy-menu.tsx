import { cloneElement, type ReactElement, useEffect, useState } from 'react';
import type { MenuProps } from '../../parts/overlay/menu.tsx';

type Loaded = typeof import('../../parts/overlay/menu.tsx');

const LOAD_AFTER_MS = 1_500;

/** A menu of the frame: its program is loaded when the page has been drawn, or when somebody wants it. */
export function LazyMenu(props: MenuProps & { readonly trigger: ReactElement<{ onClick?: () => void }> }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    let isGone = false;
    const load = (): void =>
      void import('../../parts/overlay/menu.tsx').then((module) => isGone || setLoaded(module));
    const timer = setTimeout(load, isWanted ? 0 : LOAD_AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [isWanted]);
  if (loaded === undefined) return cloneElement(props.trigger, { onClick: () => setWanted(true) });
  return <loaded.Menu {...props} defaultOpen={isWanted} />;
}
