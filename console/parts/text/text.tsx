import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './text.module.css';

interface TextProps {
  readonly children: ReactNode;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
}

function part(name: string | undefined) {
  return function Text({ children, className, title }: TextProps) {
    return (
      <span className={classes(name, className)} title={title}>
        {children}
      </span>
    );
  };
}

/** Names, codes, ids. */
export const Mono = part(styles.mono);
/** Second in rank. */
export const Sub = part(styles.sub);
/** Third in rank. */
export const Dim = part(styles.dim);
/** The small grey unit after a figure. */
export const Unit = part(styles.unit);
/** Money in, healthy. */
export const Good = part(styles.good);
export const Bad = part(styles.bad);
export const Warn = part(styles.warn);
/** One line, cut with an ellipsis. */
export const Cut = part(styles.cut);
/** Read by screen readers only. */
export const Hidden = part(styles.hidden);
/** Shown above 720 px only. */
export const WideOnly = part(styles.wideOnly);

/** A row of things with 8 px between. */
export function Row({
  children,
  wrap,
  between,
  className,
}: {
  readonly children: ReactNode;
  readonly wrap?: boolean | undefined;
  readonly between?: boolean | undefined;
  readonly className?: string | undefined;
}) {
  return (
    <div className={classes(styles.row, wrap && styles.wrap, between && styles.between, className)}>
      {children}
    </div>
  );
}

/** A large amount: the sign of the currency and, if asked, the decimals in grey. */
export function Money({
  children,
  dimDecimals,
}: {
  /** As `money()` writes it: ¥1,284.50. */
  readonly children: string;
  readonly dimDecimals?: boolean | undefined;
}) {
  const [, sign = '', whole = '', decimals = ''] = /^([^\d]*)([\d,]+)(.*)$/.exec(children) ?? [];
  if (whole === '') return <span className={styles.money}>{children}</span>;
  return (
    <span className={styles.money}>
      <span className={styles.currency}>{sign}</span>
      {whole}
      {dimDecimals === true ? <span className={styles.decimals}>{decimals}</span> : decimals}
    </span>
  );
}
