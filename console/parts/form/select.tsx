import type { ReactNode, Ref, SelectHTMLAttributes } from 'react';
import { classes } from '../classes.ts';
import { Icon } from '../icons/icon.tsx';
import { useFieldProps } from './field.tsx';
import styles from './select.module.css';

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly disabled?: boolean | undefined;
}

export interface SelectProps<Value extends string>
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value' | 'onChange' | 'children' | 'size'> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly Option<Value>[];
  readonly size?: 'sm' | 'md' | undefined;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLSelectElement> | undefined;
}

/** The browser's own list: it works with every keyboard, phone and reader. Long lists take Combobox. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, onChange, options, size, className, id, ...rest } = props;
  const field = useFieldProps({ id });
  return (
    <span className={classes(styles.frame, className)}>
      <select
        {...field}
        {...rest}
        className={classes(styles.select, size === 'sm' && styles.sm)}
        value={value}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" size={14} className={styles.arrow} />
    </span>
  );
}
