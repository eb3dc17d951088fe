import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icons/icon.tsx';
import styles from './attention.module.css';

export interface AttentionItem {
  readonly key: string;
  readonly tone: 'warn' | 'bad' | 'info';
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly text?: ReactNode;
  /** The remedy: a small button. */
  readonly action?: ReactNode;
}

/** What needs attention, each with its remedy. */
export function AttentionList({ items }: { readonly items: readonly AttentionItem[] }) {
  return (
    <ul className={styles.list}>
      {items.map((item) => (
        <li key={item.key}>
          <Icon name={item.icon} className={styles[item.tone]} />
          <b>{item.title}</b>
          {item.text !== undefined && <p>{item.text}</p>}
          {item.action !== undefined && <div className={styles.action}>{item.action}</div>}
        </li>
      ))}
    </ul>
  );
}
