import type { ReactNode } from 'react';
import styles from './parts.module.css';

export interface PartProps {
  readonly title: string;
  readonly wide?: boolean | undefined;
  readonly children: ReactNode;
}

export function Part({ title, wide, children }: PartProps) {
  return (
    <section className={wide === true ? styles.wide : styles.part}>
      <h2>{title}</h2>
      <div className={styles.demo}>{children}</div>
    </section>
  );
}
