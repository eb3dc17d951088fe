import { type InputHTMLAttributes, type ReactNode, type Ref, useEffect, useId, useRef } from 'react';
import { classes } from '../classes.ts';
import styles from './choice.module.css';

interface Bare extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onChange' | 'size'> {
  readonly onChange?: ((checked: boolean) => void) | undefined;
  /** The text beside it. Without one, `aria-label` names it. */
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

export interface CheckboxProps extends Omit<Bare, 'ref'> {
  /** Some of what it stands for is chosen. */
  readonly mixed?: boolean | undefined;
}

export function Checkbox({ onChange, children, mixed = false, className, ...rest }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <label className={classes(styles.check, className)}>
      <input {...rest} ref={box} type="checkbox" onChange={(event) => onChange?.(event.target.checked)} />
      {children}
    </label>
  );
}

export function Radio({ onChange, children, className, ...rest }: Bare) {
  return (
    <label className={classes(styles.check, className)}>
      <input {...rest} type="radio" onChange={(event) => onChange?.(event.target.checked)} />
      {children}
    </label>
  );
}

/** A native checkbox tells its state itself. */
const SWITCH = { type: 'checkbox', role: 'switch' } as const;

export interface SwitchProps extends Omit<Bare, 'children'> {}

/** Acts at once, without a save button. `aria-label` names it; SwitchRow brings a text along. */
export function Switch({ onChange, className, ...rest }: SwitchProps) {
  return (
    <input
      {...rest}
      {...SWITCH}
      className={classes(styles.switch, className)}
      onChange={(event) => onChange?.(event.target.checked)}
    />
  );
}

export interface SwitchRowProps extends SwitchProps {
  readonly label: ReactNode;
  readonly help?: ReactNode;
}

/** A switch at the right end of its text. */
export function SwitchRow({ label, help, ...rest }: SwitchRowProps) {
  const id = useId();
  return (
    <div className={styles.row}>
      <label htmlFor={id}>
        {label}
        {help !== undefined && <small id={`${id}-help`}>{help}</small>}
      </label>
      <Switch {...rest} id={id} />
    </div>
  );
}
