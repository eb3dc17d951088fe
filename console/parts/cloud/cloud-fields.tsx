import { useTexts } from '../../texts/language.ts';
import { Field } from '../form/field.tsx';
import { Input, PasswordInput } from '../form/input.tsx';
import { Select } from '../form/select.tsx';
import type { CloudDraft, Preset, SecretForms } from './cloud-draft.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

interface CloudFieldsProps {
  readonly cloud: NonNullable<Preset['cloud']>;
  readonly draft: CloudDraft;
  readonly onChange: (draft: CloudDraft) => void;
  /** An address was typed, so nothing of it is asked for. */
  readonly hasAddress: boolean;
}

/** Where a cloud is: resource, region, project and what else it needs. */
export function CloudFields({ cloud, draft, onChange, hasAddress }: CloudFieldsProps) {
  const t = useTexts({ en, zh });
  const shown = cloud.fields.filter(({ of }) => of === 'cloud' || !hasAddress);
  return shown.map(({ name, required, example }) => (
    <Field key={name} label={t.fieldOf(name)} note={required ? undefined : t.optional} help={t.helpOf(name)}>
      <Input
        mono
        required={required}
        autoComplete="off"
        spellCheck={false}
        placeholder={example}
        value={draft.fields[name] ?? ''}
        onChange={(event) => onChange({ ...draft, fields: { ...draft.fields, [name]: event.target.value } })}
      />
    </Field>
  ));
}

interface CloudSecretProps {
  readonly forms: SecretForms;
  readonly draft: CloudDraft;
  readonly onChange: (draft: CloudDraft) => void;
  readonly note?: React.ReactNode;
}

/** The credential of a cloud, in the form that is chosen. */
export function CloudSecret({ forms, draft, onChange, note }: CloudSecretProps) {
  const t = useTexts({ en, zh });
  const form = forms.find((each) => each.form === draft.form) ?? forms[0];
  if (form === undefined) return null;
  return (
    <>
      {forms.length > 1 && (
        <Field label={t.credential}>
          <Select
            value={form.form}
            onChange={(chosen) => onChange({ ...draft, form: chosen, parts: {}, whole: '' })}
            options={forms.map(({ form: name }) => ({ value: name, label: t.formOf(name) }))}
          />
        </Field>
      )}
      {form.fixed === null && form.parts.length === 0 && (
        <Field label={t.wholeOf(form.form)} note={note}>
          <PasswordInput
            autoComplete="off"
            spellCheck={false}
            value={draft.whole}
            onChange={(event) => onChange({ ...draft, whole: event.target.value })}
          />
        </Field>
      )}
      {form.parts.map(({ name, required, hidden }) => {
        const Control = hidden ? PasswordInput : Input;
        return (
          <Field key={name} label={t.fieldOf(name)} note={required ? undefined : t.optional}>
            <Control
              autoComplete="off"
              spellCheck={false}
              value={draft.parts[name] ?? ''}
              onChange={(event) =>
                onChange({ ...draft, parts: { ...draft.parts, [name]: event.target.value } })
              }
            />
          </Field>
        );
      })}
    </>
  );
}
