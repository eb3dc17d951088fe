import { Button } from '../../../../parts/button.tsx';
import { SwitchRow } from '../../../../parts/form/choice.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Textarea } from '../../../../parts/form/input.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import css from '../catalogue.module.css';
import { entriesOf, toAmount, withField } from '../changes/document.ts';
import { SpanSelect } from '../changes/span-select.tsx';
import { useCatalogueTexts } from '../texts.ts';
import { EntryField, type FormProps, TypedInput } from './fields.tsx';
import type { Covers } from './plans.tsx';

/** A plan: what it costs, which limits come with it, and what it pays for. */
export function PlanForm({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, page, errors } = form;
  const policies = entriesOf(page.catalogue.document, 'policies');
  return (
    <Stack gap={16}>
      <EntryField {...{ form, name: 'name', label: t.fields.name, type: 'text', usual: entry.code }} />
      <div className={css.three}>
        <EntryField
          {...{ form, name: 'level', label: t.fields.level, type: 'whole', help: t.plan.levelHelp }}
        />
        <EntryField
          {...{ form, name: 'price', label: t.fields.price, type: 'amount', usual: '0', prefix: '¥' }}
        />
        <EntryField
          {...{ form, name: 'days', label: t.fields.days, type: 'whole', usual: 30 }}
          suffix={t.units.days}
        />
      </div>
      <Field label={t.entity('policy')} help={t.plan.policyHelp} error={errors.get('policy')}>
        <Select
          value={String(entry.policy ?? '')}
          onChange={(id) => onChange(withField(entry, 'policy', id === '' ? undefined : Number(id)))}
          options={[
            { value: '', label: t.plan.noPolicy },
            ...policies.map((each) => ({ value: String(each.id), label: String(each.name) })),
          ]}
        />
      </Field>
      <CoversFields form={form} />
    </Stack>
  );
}

function CoversFields({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, errors } = form;
  const covers = (entry.covers ?? {}) as Covers;
  const { models = '*', windows = [] } = covers;
  const change = (next: Covers) => {
    const usual = (next.models ?? '*') === '*' && (next.windows ?? []).length === 0;
    onChange(withField(entry, 'covers', usual ? undefined : next));
  };
  const setWindow = (at: number, window: Partial<(typeof windows)[number]>) =>
    change({
      ...covers,
      windows: windows.map((each, place) => (place === at ? { ...each, ...window } : each)),
    });
  return (
    <>
      <SwitchRow
        label={t.plan.coversAll}
        checked={models === '*'}
        onChange={(checked) => change({ ...covers, models: checked ? '*' : [] })}
      />
      {models !== '*' && (
        <Field label={t.plan.models} help={t.plan.modelsHelp} error={errors.get('covers.models')}>
          <Textarea
            mono
            rows={4}
            defaultValue={models.join('\n')}
            onChange={(event) =>
              change({ ...covers, models: event.target.value.split(/\s+/).filter(Boolean) })
            }
          />
        </Field>
      )}
      <fieldset className={css.windows}>
        <legend>{t.plan.windows}</legend>
        {windows.map((window, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a window has no identity but its place
          <div key={at} className={css.cover}>
            <TypedInput
              {...{ form: 'amount', prefix: '¥', label: t.plan.amount, value: window.amount }}
              onType={(typed) => setWindow(at, { amount: toAmount(typed) ?? '' })}
            />
            <SpanSelect value={window.seconds} onChange={(seconds) => setWindow(at, { seconds })} />
            <Button
              {...{ variant: 'ghost', size: 'sm', icon: 'x', 'aria-label': t.policy.removeWindow }}
              onClick={() => change({ ...covers, windows: windows.filter((_, place) => place !== at) })}
            />
          </div>
        ))}
        <Button
          {...{ variant: 'ghost', size: 'sm', icon: 'plus' }}
          onClick={() =>
            change({ ...covers, windows: [...windows, { seconds: freeSpan(windows), amount: '10' }] })
          }
        >
          {t.policy.window}
        </Button>
      </fieldset>
    </>
  );
}

function freeSpan(windows: NonNullable<Covers['windows']>): number {
  return [18_000, 604_800, 86_400].find((each) => windows.every(({ seconds }) => seconds !== each)) ?? 3_600;
}
