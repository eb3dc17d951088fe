import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import styles from './tooltip.module.css';

export interface TooltipProps {
  readonly text: ReactNode;
  /** A key to press, shown behind the text. */
  readonly shortcut?: string | undefined;
  /** What is explained: a button or a link with a name of its own. */
  readonly children: ReactElement;
}

/** More than the name, on hover and focus. Nothing may stand only here. */
export function Tooltip({ text, shortcut, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={300} />
      <Base.Portal>
        <Base.Positioner className={styles.place} sideOffset={6}>
          <Base.Popup className={styles.tooltip}>
            {text}
            {shortcut !== undefined && <kbd>{shortcut}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
