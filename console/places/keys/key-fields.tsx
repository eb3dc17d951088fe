import { Field } from '../../parts/form/field.tsx';
import { Input } from '../../parts/form/input.tsx';
import { Select } from '../../parts/form/select.tsx';
import { day, exactTime } from '../../parts/text/times.ts';
import { useTexts } from '../../texts/language.ts';
import { usePolicies } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface KeyDraft {
  readonly name: string;
  /** Empty: that of the account. */
  readonly policy: string;
  readonly expiry: Expiry;
  /** For `date`. */
  readonly date: string;
}

export type Expiry = 'never' | '30' | '90' | '365' | 'date';
const EXPIRIES: readonly Expiry[] = ['never', '30', '90', '365', 'date'];
const DAY_MS = 86_400_000;

export const NEW_DRAFT: KeyDraft = { name: '', policy: '', expiry: 'never', date: '' };

/** As the server takes it. */
export function expiresAt({ expiry, date }: KeyDraft): string | null {
  if (expiry === 'never') return null;
  return expiry === 'date' ? `${date} 23:59:59` : exactTime(Date.now() + Number(expiry) * DAY_MS);
}

export interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  /** What the server says is wrong with a field. */
  readonly errors: { readonly name?: string; readonly policy?: string; readonly expiry?: string };
}

export function KeyFields({ draft, onChange, errors }: KeyFieldsProps) {
  const t = useTexts({ en, zh });
  const policies = usePolicies() ?? [];
  const chosen = policies.find(({ id }) => String(id) === draft.policy);
  const options = [
    { value: '', label: t.accountPolicy },
    ...policies.map(({ id, name }) => ({ value: String(id), label: name })),
    // A policy that only an operator gives stays.
    ...(draft.policy !== '' && chosen === undefined
      ? [{ value: draft.policy, label: `#${draft.policy}` }]
      : []),
  ];
  return (
    <>
      <Field label={t.columns.name} help={t.nameHelp} error={errors.name}>
        <Input
          required
          autoFocus={draft === NEW_DRAFT}
          maxLength={100}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
        />
      </Field>
      <Field
        label={t.columns.policy}
        help={chosen === undefined ? t.policyHelp : t.policyInWords(chosen)}
        error={errors.policy}
      >
        <Select
          value={draft.policy}
          onChange={(policy) => onChange({ ...draft, policy })}
          options={options}
        />
      </Field>
      <Field label={t.columns.expires} error={errors.expiry}>
        <Select
          value={draft.expiry}
          onChange={(expiry) => onChange({ ...draft, expiry })}
          options={EXPIRIES.map((value) => ({ value, label: t.expiries[value] }))}
        />
      </Field>
      {draft.expiry === 'date' && (
        <Field label={t.lastDay}>
          <Input
            type="date"
            required
            min={day(Date.now())}
            value={draft.date}
            onChange={(event) => onChange({ ...draft, date: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

/** The field that a refusal names; others go above the buttons. */
export function errorsOf(message: string | undefined): KeyFieldsProps['errors'] {
  if (message === undefined) return {};
  if (/\bname\b/.test(message)) return { name: message };
  if (/policy/.test(message)) return { policy: message };
  return /expires_at/.test(message) ? { expiry: message } : {};
}
