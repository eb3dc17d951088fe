import type { ReactNode } from 'react';
import { usePartTexts } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './key-once.module.css';
import { Pill } from './status.tsx';

export interface KeyOnceProps {
  /** “report-bot is ready”. */
  readonly title: ReactNode;
  readonly secret: string;
  /** What to know about it; without one, that only a hash is kept. */
  readonly children?: ReactNode;
}

/** A key, shown this once. It is gone with the page. */
export function KeyOnce({ title, secret, children }: KeyOnceProps) {
  const t = usePartTexts();
  return (
    <div className={styles.frame}>
      <div className={styles.head}>
        <b>{title}</b>
        <Pill tone="accent">{t.shownOnce}</Pill>
      </div>
      <div className={styles.secret}>
        <span>{secret}</span>
        <CopyButton text={secret} variant="primary" size="sm" worded />
      </div>
      <p>{children ?? t.hashOnly}</p>
    </div>
  );
}
