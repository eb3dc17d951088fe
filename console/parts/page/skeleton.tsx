import { classes } from '../classes.ts';
import styles from './skeleton.module.css';

export interface SkeletonProps {
  /** In CSS: `60%`, `120px`. */
  readonly width?: string | undefined;
  readonly height?: string | undefined;
  /** At the right end of its place. */
  readonly end?: boolean | undefined;
}

/** Stands for what comes, in its shape, the first time only. */
export function Skeleton({ width, height, end }: SkeletonProps) {
  return (
    <span
      aria-hidden="true"
      className={classes(styles.skeleton, end && styles.end)}
      style={{ width, height }}
    />
  );
}

const LINES = ['60%', '100%', '80%', '92%', '70%'];

export function SkeletonLines({ lines = 3 }: { readonly lines?: number | undefined }) {
  return (
    <div className={styles.lines}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={index} width={LINES[index % LINES.length]} />
      ))}
    </div>
  );
}
