import { type ReactNode, useState } from 'react';
import { classes } from '../../../../parts/classes.ts';
import { Checkbox, SwitchRow } from '../../../../parts/form/choice.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Affix, Input, NumberInput } from '../../../../parts/form/input.tsx';
import { count } from '../../../../parts/text/format.ts';
import css from '../catalogue.module.css';
import { type Entry, isSame, toAmount, toWhole, withField } from '../changes/document.ts';
import type { CataloguePageProps } from '../types.ts';

/** One entry in a form. Every change goes to the draft at once. */
export interface FormProps {
  readonly page: CataloguePageProps;
  readonly entry: Entry;
  /** As it is in force. */
  readonly before: Entry | undefined;
  /** What the server says, by the path within the entry. */
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (entry: Entry) => void;
}

interface TypedProps {
  readonly value: unknown;
  readonly onType: (typed: string) => void;
  readonly form: 'text' | 'mono' | 'whole' | 'amount';
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly label?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly changed?: boolean | undefined;
  readonly className?: string | undefined;
}

/** Whole numbers are grouped: 2,000,000. */
function shownOf(form: TypedProps['form'], value: unknown): string {
  const text = String(value ?? '');
  return form === 'whole' && /^\d+$/.test(text) ? count(text) : text;
}

/** While it has the focus it shows what was typed, then what was understood. */
export function TypedInput(props: TypedProps) {
  const { value, onType, form, prefix, suffix, label, placeholder, changed, className } = props;
  const [typed, setTyped] = useState<string>();
  const given = {
    'aria-label': label,
    value: typed ?? shownOf(form, value),
    placeholder,
    className: classes(changed && css.changed, className),
    onFocus: () => setTyped(String(value ?? '')),
    onBlur: () => setTyped(undefined),
    onChange: (event: { readonly target: { readonly value: string } }) => {
      setTyped(event.target.value);
      onType(event.target.value);
    },
  };
  if (prefix !== undefined || suffix !== undefined) {
    return <Affix {...given} {...{ prefix, suffix }} inputMode="decimal" autoComplete="off" />;
  }
  if (form === 'text' || form === 'mono') {
    return <Input {...given} mono={form === 'mono'} autoComplete="off" spellCheck={form === 'text'} />;
  }
  return <NumberInput {...given} decimals={form === 'amount'} />;
}

export interface EntryFieldProps {
  readonly form: FormProps;
  readonly name: string;
  readonly label: string;
  readonly type: TypedProps['form'];
  /** What the file leaves out. */
  readonly usual?: unknown;
  readonly help?: ReactNode;
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly placeholder?: string | undefined;
}

export function readTyped(type: TypedProps['form'], typed: string): unknown {
  if (type === 'whole') return toWhole(typed);
  if (type === 'amount') return toAmount(typed);
  return typed === '' ? undefined : typed;
}

/** One field of an entry. */
export function EntryField({ form, name, label, type, usual, help, ...rest }: EntryFieldProps) {
  const { entry, before, errors, onChange } = form;
  return (
    <Field label={label} help={help} error={errors.get(name)}>
      <TypedInput
        {...rest}
        form={type}
        value={entry[name] ?? usual}
        changed={before !== undefined && !isSame(before[name], entry[name])}
        onType={(typed) => onChange(withField(entry, name, readTyped(type, typed), usual))}
      />
    </Field>
  );
}

interface EntrySwitchProps extends Pick<EntryFieldProps, 'form' | 'name' | 'label' | 'help'> {
  readonly usual: boolean;
}

export function EntrySwitch({ form, name, label, help, usual }: EntrySwitchProps) {
  const { entry, onChange } = form;
  return (
    <SwitchRow
      {...{ label, help }}
      checked={(entry[name] ?? usual) === true}
      onChange={(checked) => onChange(withField(entry, name, checked, usual))}
    />
  );
}

/** Enabled or not. */
export function StatusSwitch({ form, label, help }: Pick<EntryFieldProps, 'form' | 'label' | 'help'>) {
  const { entry, onChange } = form;
  return (
    <SwitchRow
      {...{ label, help }}
      checked={(entry.status ?? 'enabled') === 'enabled'}
      onChange={(checked) =>
        onChange(withField(entry, 'status', checked ? 'enabled' : 'disabled', 'enabled'))
      }
    />
  );
}

interface ChoicesProps extends Pick<EntryFieldProps, 'form' | 'name' | 'label'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly usual?: readonly string[] | undefined;
}

/** Several of a few, in the order of the options. */
export function EntryChoices({ form, name, label, options, usual }: ChoicesProps) {
  const { entry, onChange, errors } = form;
  const chosen = (entry[name] ?? usual ?? []) as readonly string[];
  const choose = (value: string, checked: boolean) => {
    const next = checked ? [...chosen, value] : chosen.filter((each) => each !== value);
    onChange(withField(entry, name, next, usual));
  };
  return (
    <fieldset className={css.choices}>
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <Checkbox
            key={option.value}
            checked={chosen.includes(option.value)}
            onChange={(checked) => choose(option.value, checked)}
          >
            {option.label}
          </Checkbox>
        ))}
      </div>
      {errors.has(name) && <p className={css.error}>{errors.get(name)}</p>}
    </fieldset>
  );
}
