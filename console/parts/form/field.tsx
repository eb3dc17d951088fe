import { createContext, type ReactNode, use, useId } from 'react';
import { classes } from '../classes.ts';
import { Icon } from '../icons/icon.tsx';
import styles from './field.module.css';

interface FieldContext {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

const Context = createContext<FieldContext | undefined>(undefined);

export interface FieldProps {
  readonly label: ReactNode;
  /** Grey, at the right end of the label. */
  readonly note?: ReactNode;
  readonly help?: ReactNode;
  /** Says what is wrong and what to do. */
  readonly error?: ReactNode;
  /** One control: Input, Select, Textarea … It takes its id and descriptions from here. */
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

export function Field({ label, note, help, error, children, className }: FieldProps) {
  const id = useId();
  const wrong = error !== undefined && error !== null && error !== '' && error !== false;
  const describedBy = wrong ? `${id}-error` : help === undefined ? undefined : `${id}-help`;
  return (
    <div className={classes(styles.field, className)}>
      <label className={styles.label} id={`${id}-label`} htmlFor={id}>
        <span>{label}</span>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </label>
      <Context value={{ id, describedBy, invalid: wrong }}>{children}</Context>
      {wrong ? (
        <span className={styles.error} id={`${id}-error`} role="alert">
          <Icon name="alert" size={14} />
          <span>{error}</span>
        </span>
      ) : (
        help !== undefined && (
          <span className={styles.help} id={`${id}-help`}>
            {help}
          </span>
        )
      )}
    </div>
  );
}

/** What a control inside a Field needs. Its own props win. */
export function useFieldProps(own: {
  readonly id?: string | undefined;
  readonly invalid?: boolean | undefined;
}) {
  const field = use(Context);
  const invalid = own.invalid ?? field?.invalid ?? false;
  return {
    id: own.id ?? field?.id,
    'aria-describedby': field?.describedBy,
    'aria-invalid': invalid ? true : undefined,
  };
}

/** The id of the label, for a control that hides the rest of the page while it is open. */
export function useFieldLabel(): string | undefined {
  const field = use(Context);
  return field === undefined ? undefined : `${field.id}-label`;
}
