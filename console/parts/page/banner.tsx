import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { classes } from '../classes.ts';
import { Icon } from '../icons/icon.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './banner.module.css';

export interface BannerProps {
  /** `plain` is news of the operator; `warn` and `bad` come with a remedy. */
  readonly tone?: 'plain' | 'info' | 'warn' | 'bad' | undefined;
  readonly children: ReactNode;
  /** A small button. */
  readonly action?: ReactNode;
  readonly onDismiss?: (() => void) | undefined;
}

export function Banner({ tone = 'plain', children, action, onDismiss }: BannerProps) {
  const t = usePartTexts();
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={classes(styles.banner, styles[tone])}>
      <Icon name={tone === 'warn' || tone === 'bad' ? 'alert' : 'info'} />
      <div className={styles.text}>{children}</div>
      {action}
      {onDismiss !== undefined && (
        <Button variant="ghost" size="xs" icon="x" aria-label={t.dismiss} onClick={onDismiss} />
      )}
    </div>
  );
}
