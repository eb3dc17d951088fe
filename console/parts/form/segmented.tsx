import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './segmented.module.css';

export interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode; readonly name?: string }[];
  readonly size?: 'sm' | 'md' | undefined;
  readonly block?: boolean | undefined;
}

/** Two to five views of the same data. `name` names an option whose label is an icon. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, value, onChange, options, size, block } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be an inline flex row in every browser
    <div
      role="group"
      aria-label={label}
      className={classes(styles.group, size === 'sm' && styles.sm, block && styles.block)}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-label={option.name}
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
