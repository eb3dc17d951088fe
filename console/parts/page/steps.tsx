import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Icon } from '../icons/icon.tsx';
import { Dot } from '../text/status.tsx';
import styles from './steps.module.css';

/** `wait` listens for something that happens elsewhere. */
export type StepState = 'done' | 'on' | 'next' | 'wait';

export interface StepProps {
  readonly number: number;
  readonly state: StepState;
  readonly title: ReactNode;
  /** At the right end of the title: a note, a link. */
  readonly right?: ReactNode;
  readonly children?: ReactNode;
}

/** What is done one after the other. */
export function Steps({ children }: { readonly children: ReactNode }) {
  return <ol className={styles.steps}>{children}</ol>;
}

export function Step({ number, state, title, right, children }: StepProps) {
  return (
    <li
      className={classes(styles.step, styles[state])}
      aria-current={state === 'on' || state === 'wait' ? 'step' : undefined}
    >
      <span className={styles.number} aria-hidden="true">
        {state === 'done' && <Icon name="check" size={14} />}
        {state === 'wait' && <Dot tone="live" />}
        {(state === 'on' || state === 'next') && number}
      </span>
      <div className={styles.content}>
        <div className={styles.head}>
          <h2>{title}</h2>
          {right !== undefined && <div className={styles.right}>{right}</div>}
        </div>
        {children}
      </div>
    </li>
  );
}
