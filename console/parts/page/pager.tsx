import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './pager.module.css';

export interface PagerProps {
  /** What is shown: “1–50 of 4,312”. */
  readonly children: ReactNode;
  /** Undefined where there is no such page. */
  readonly onNewer?: (() => void) | undefined;
  readonly onOlder?: (() => void) | undefined;
}

export function Pager({ children, onNewer, onOlder }: PagerProps) {
  const t = usePartTexts();
  return (
    <div className={styles.pager}>
      {children}
      <div className={styles.right}>
        <Button
          variant="ghost"
          size="xs"
          icon="up"
          aria-label={t.newer}
          disabled={onNewer === undefined}
          onClick={onNewer}
        />
        <Button
          variant="ghost"
          size="xs"
          icon="down"
          aria-label={t.older}
          disabled={onOlder === undefined}
          onClick={onOlder}
        />
      </div>
    </div>
  );
}
