import { Field } from '../../../../parts/form/field.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import css from '../catalogue.module.css';
import { withField } from '../changes/document.ts';
import { EntryField, EntrySwitch, type FormProps, StatusSwitch } from '../entries/fields.tsx';
import { restrictionText } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';

const LEVELS = { none: [0], verification: [1, 2], plan: [1, 2, 3] } as const;
type RestrictionKind = keyof typeof LEVELS;

/** Who may call a model. */
export function Admission({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, errors } = form;
  const { kind = 'none', level = 0 } = (entry.restriction ?? {}) as {
    kind?: RestrictionKind;
    level?: number;
  };
  const set = (next: RestrictionKind, to: number) =>
    onChange(withField(entry, 'restriction', next === 'none' ? undefined : { kind: next, level: to }));
  const levels: readonly number[] = LEVELS[kind];
  return (
    <div className={css.fields}>
      <EntryField {...{ form, name: 'name', label: t.fields.name, type: 'text', usual: entry.model_id }} />
      <StatusSwitch {...{ form, label: t.admission.enabled, help: t.admission.enabledHelp }} />
      <EntrySwitch
        {...{
          form,
          name: 'client_visible',
          label: t.admission.visible,
          help: t.admission.visibleHelp,
          usual: true,
        }}
      />
      <div className={css.two}>
        <Field label={t.admission.who} error={errors.get('restriction')}>
          <Select
            value={kind}
            onChange={(next) => set(next, LEVELS[next][0])}
            options={(['none', 'verification', 'plan'] as const).map((value) => ({
              value,
              label: t.admission.kinds[value],
            }))}
          />
        </Field>
        {kind !== 'none' && (
          <Field label={t.fields.level} error={errors.get('restriction.level')}>
            <Select
              value={String(level)}
              onChange={(to) => set(kind, Number(to))}
              options={[...new Set([...levels, level])].map((each) => ({
                value: String(each),
                label: t.admission.levels[kind](each),
              }))}
            />
          </Field>
        )}
      </div>
      <div className={css.words}>
        <h3>{t.policy.inWords}</h3>
        <p>
          {t.admission.words(
            (entry.status ?? 'enabled') === 'enabled',
            restrictionText(t, entry),
            kind !== 'none',
          )}
        </p>
      </div>
    </div>
  );
}
