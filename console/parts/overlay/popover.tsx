import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import styles from './popover.module.css';

export interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactElement;
  readonly title?: ReactNode;
  /** Names it for screen readers where there is no title. */
  readonly label?: string | undefined;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end' | undefined;
  /** Controlled, where a choice inside closes it. */
  readonly open?: boolean | undefined;
  readonly onOpenChange?: ((open: boolean) => void) | undefined;
}

export function Popover({
  trigger,
  title,
  label,
  children,
  align = 'start',
  open,
  onOpenChange,
}: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange?.(next)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.place} align={align} sideOffset={4}>
          <Base.Popup className={styles.popover} aria-label={label}>
            {title !== undefined && <Base.Title className={styles.title}>{title}</Base.Title>}
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
