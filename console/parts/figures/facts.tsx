import { Fragment, type ReactNode } from 'react';
import styles from './facts.module.css';

export interface FactListProps {
  readonly facts: readonly { readonly name: ReactNode; readonly value: ReactNode; readonly key?: string }[];
}

/** Names at the left, values at the right. */
export function FactList({ facts }: FactListProps) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value, key }, index) => (
        <Fragment key={key ?? (typeof name === 'string' ? name : index)}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
