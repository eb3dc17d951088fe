import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from '../classes.ts';
import { Icon } from '../icons/icon.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './filter-bar.module.css';

export interface FilterBarProps {
  /** SearchInput, FilterChips, AddFilter. */
  readonly children: ReactNode;
  /** At the right end: columns, export. */
  readonly right?: ReactNode;
}

export function FilterBar({ children, right }: FilterBarProps) {
  return (
    <div className={styles.bar}>
      {children}
      {right !== undefined && <div className={styles.right}>{right}</div>}
    </div>
  );
}

export interface FilterChipProps {
  readonly name: string;
  readonly value: ReactNode;
  /** Without it the filter always stands (the period). */
  readonly onRemove?: (() => void) | undefined;
  /** Opens the choice of values; or wrap the chip's button with Menu or Popover by `trigger`. */
  readonly onClick?: (() => void) | undefined;
}

export function FilterChip({ name, value, onRemove, onClick }: FilterChipProps) {
  const t = usePartTexts();
  const content = (
    <>
      <span>{name}</span>
      <b>{value}</b>
    </>
  );
  return (
    <span className={styles.chip}>
      {onClick === undefined ? (
        <span className={styles.body}>{content}</span>
      ) : (
        <button type="button" className={styles.body} onClick={onClick}>
          {content}
        </button>
      )}
      {onRemove !== undefined && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`${t.removeFilter}: ${name}`}
          onClick={onRemove}
        >
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}

export interface ChipButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'value'> {
  readonly name: string;
  readonly value: ReactNode;
  readonly ref?: Ref<HTMLButtonElement> | undefined;
}

/** A chip that opens a Menu or Popover: give it as their `trigger`. */
export function ChipButton({ name, value, className, ...rest }: ChipButtonProps) {
  return (
    <button type="button" {...rest} className={classes(styles.chip, styles.body, className)}>
      <span>{name}</span>
      <b>{value}</b>
    </button>
  );
}

export interface AddFilterProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly ref?: Ref<HTMLButtonElement> | undefined;
}

/** The dashed “+ Filter”: give it as `trigger` of a Menu. */
export function AddFilter({ className, children, ...rest }: AddFilterProps) {
  const t = usePartTexts();
  return (
    <button type="button" {...rest} className={classes(styles.chip, styles.add, className)}>
      <Icon name="plus" size={14} />
      {children ?? t.addFilter}
    </button>
  );
}
