import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './layout.module.css';

/** The content of a place. The shell brings the top bar and the side. */
export function Page({ children }: { readonly children: ReactNode }) {
  return <div className={styles.page}>{children}</div>;
}

export interface PageHeadProps {
  readonly title: ReactNode;
  /** One grey sentence beside the title. */
  readonly lead?: ReactNode;
  /** At most one primary button, at the right end. */
  readonly children?: ReactNode;
}

export function PageHead({ title, lead, children }: PageHeadProps) {
  return (
    <header className={styles.head}>
      <h1>{title}</h1>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children !== undefined && <div className={styles.right}>{children}</div>}
    </header>
  );
}

export interface SectionProps {
  readonly title?: ReactNode;
  /** Small and grey beside the title: a unit, a count. */
  readonly note?: ReactNode;
  /** At the right end of the heading. */
  readonly right?: ReactNode;
  /** Comes first when columns stack. */
  readonly urgent?: boolean | undefined;
  readonly id?: string | undefined;
  readonly children: ReactNode;
}

/** Sections are divided by a hairline. */
export function Section({ title, note, right, urgent, id, children }: SectionProps) {
  return (
    <section className={classes(styles.section, urgent && styles.urgent)} id={id}>
      {title !== undefined && (
        <div className={styles.sectionHead}>
          <h2>{title}</h2>
          {note !== undefined && <span className={styles.note}>{note}</span>}
          {right !== undefined && <div className={styles.right}>{right}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

export interface ColumnsProps {
  readonly children: ReactNode;
  /** The side column, 340 px; below 1180 px it comes after the main one. */
  readonly side: ReactNode;
}

export function Columns({ children, side }: ColumnsProps) {
  return (
    <div className={styles.columns}>
      <div>{children}</div>
      <div>{side}</div>
    </div>
  );
}

/** A box, for what stands apart. Sections need none. */
export function Card({ children }: { readonly children: ReactNode }) {
  return <div className={styles.card}>{children}</div>;
}

/** A column of things, 12 px apart unless told. */
export function Stack({
  gap = 12,
  children,
}: {
  readonly gap?: 4 | 8 | 12 | 16 | 24;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.stack} style={{ gap }}>
      {children}
    </div>
  );
}
