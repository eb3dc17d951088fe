import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useState,
} from 'react';
import { Button } from '../button.tsx';
import { classes } from '../classes.ts';
import { usePartTexts } from '../texts.ts';
import { useFieldProps } from './field.tsx';
import styles from './input.module.css';

interface Look {
  readonly invalid?: boolean | undefined;
  /** Names, codes, ids: in mono. */
  readonly mono?: boolean | undefined;
}

export interface InputProps extends Look, Omit<InputHTMLAttributes<HTMLInputElement>, 'size'> {
  readonly size?: 'md' | 'lg' | undefined;
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

export function Input({ invalid, mono, size, className, id, ...rest }: InputProps) {
  const field = useFieldProps({ id, invalid });
  const look = classes(styles.input, mono && styles.mono, size === 'lg' && styles.lg, className);
  return <input {...field} {...rest} className={look} />;
}

/** A figure as text: the value stays the string that was typed, so that no digit is lost. */
export function NumberInput({
  decimals,
  className,
  ...rest
}: InputProps & { readonly decimals?: boolean | undefined }) {
  return (
    <Input
      autoComplete="off"
      {...rest}
      inputMode={decimals === true ? 'decimal' : 'numeric'}
      className={classes(styles.number, className)}
    />
  );
}

export function PasswordInput({ invalid, size, id, className, ...rest }: InputProps) {
  const [shown, setShown] = useState(false);
  const field = useFieldProps({ id, invalid });
  const t = usePartTexts();
  return (
    <div className={classes(styles.affix, styles.tight, size === 'lg' && styles.affixLg, className)}>
      <input {...field} {...rest} type={shown ? 'text' : 'password'} />
      <Button
        variant="ghost"
        size="xs"
        icon="eye"
        aria-label={shown ? t.hidePassword : t.showPassword}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      />
    </div>
  );
}

export interface TextareaProps extends Look, TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly ref?: Ref<HTMLTextAreaElement> | undefined;
}

export function Textarea({ invalid, mono, className, id, ...rest }: TextareaProps) {
  const field = useFieldProps({ id, invalid });
  return (
    <textarea
      rows={4}
      {...field}
      {...rest}
      className={classes(styles.input, styles.textarea, mono && styles.mono, className)}
    />
  );
}

export interface AffixProps extends Omit<InputProps, 'prefix'> {
  readonly prefix?: ReactNode;
  readonly suffix?: ReactNode;
}

/** An input with a sign before it or a unit behind it. `lg` is the large amount of a money form. */
export function Affix({ prefix, suffix, invalid, mono, size, className, id, ...rest }: AffixProps) {
  const field = useFieldProps({ id, invalid });
  return (
    <label
      className={classes(
        styles.affix,
        mono && styles.mono,
        size === 'lg' && styles.affixXl,
        field['aria-invalid'] === true && styles.affixBad,
        className,
      )}
    >
      {prefix}
      <input {...field} {...rest} />
      {suffix !== undefined && <span>{suffix}</span>}
    </label>
  );
}
