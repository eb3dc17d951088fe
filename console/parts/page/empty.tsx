import type { ReactNode } from 'react';
import styles from './empty.module.css';

export interface EmptyProps {
  readonly title: ReactNode;
  /** One sentence that teaches the next step. */
  readonly children?: ReactNode;
  /** One button: the step itself, or to drop the last filter. */
  readonly action?: ReactNode;
  /** Without the drawing: small places, filtered lists. */
  readonly plain?: boolean | undefined;
}

export function Empty({ title, children, action, plain }: EmptyProps) {
  return (
    <div className={styles.empty}>
      {plain !== true && (
        <svg className={styles.art} viewBox="0 0 112 56" fill="none" stroke="currentColor" aria-hidden="true">
          <path d="M22 50V24" strokeWidth="6" strokeLinecap="round" />
          <path d="M22 17 96 4" strokeWidth="4" strokeLinecap="round" strokeDasharray="14 8" />
          <path d="M36 50h66" stroke="var(--line-strong)" strokeWidth="1.5" strokeDasharray="3 4" />
        </svg>
      )}
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </div>
  );
}
