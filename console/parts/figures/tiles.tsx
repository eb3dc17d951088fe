import type { ReactNode } from 'react';
import styles from './tiles.module.css';

/** Two to four large figures between two hairlines, at the head of a page. */
export function Tiles({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={styles.tiles} aria-label={label}>
      {children}
    </section>
  );
}

export interface TileProps {
  readonly label: ReactNode;
  /** Money, or a word. */
  readonly value: ReactNode;
  /** Small and grey below it. */
  readonly note?: ReactNode;
  /** A meter. */
  readonly children?: ReactNode;
}

export function Tile({ label, value, note, children }: TileProps) {
  return (
    <div className={styles.tile}>
      <span className={styles.label}>{label}</span>
      <span className={styles.value}>{value}</span>
      {children}
      {note !== undefined && <small>{note}</small>}
    </div>
  );
}
