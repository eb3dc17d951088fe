import { Button } from '../../../../parts/button.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import css from '../catalogue.module.css';
import { isSame, toAmount, toWhole, withField } from '../changes/document.ts';
import { SpanSelect } from '../changes/span-select.tsx';
import { useCatalogueTexts } from '../texts.ts';
import { EntryField, type FormProps, TypedInput } from './fields.tsx';
import { plansWith, type Window, windowsOf } from './policies.tsx';
import { Words } from './words.tsx';

export const DIMENSIONS = ['requests', 'tokens', 'images', 'videos', 'amount'] as const;

/** A policy, and beside it what it does. */
export function PolicyForm({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, errors } = form;
  return (
    <div className={css.policy}>
      <div className={css.policyFields}>
        <EntryField {...{ form, name: 'name', label: t.fields.name, type: 'text' }} />
        <EntryField
          {...{ form, name: 'concurrency', label: t.policy.atOnce, type: 'whole', placeholder: t.unlimited }}
          suffix={t.units.calls}
        />
        <Windows form={form} />
        <Field label={t.policy.selectable} error={errors.get('selectable')}>
          <Select
            value={entry.selectable === undefined ? 'usual' : entry.selectable === true ? 'yes' : 'no'}
            onChange={(chosen) =>
              onChange(withField(entry, 'selectable', chosen === 'usual' ? undefined : chosen === 'yes'))
            }
            options={(['usual', 'yes', 'no'] as const).map((value) => ({
              value,
              label: t.policy.choice[value],
            }))}
          />
        </Field>
      </div>
      <PolicyWords form={form} />
    </div>
  );
}

function Windows({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, before, onChange, errors } = form;
  const windows = windowsOf(entry);
  const change = (next: readonly Window[]) => onChange(withField(entry, 'windows', next, []));
  const set = (at: number, window: Partial<Window>) =>
    change(windows.map((each, place) => (place === at ? { ...each, ...window } : each)));
  const known = before === undefined ? [] : windowsOf(before);
  const add = () => {
    const free =
      DIMENSIONS.find((name) => windows.every(({ dimension }) => dimension !== name)) ?? 'requests';
    change([...windows, { dimension: free, seconds: 60, limit: free === 'amount' ? '10' : '100' }]);
  };
  const wrong = [...errors].filter(([path]) => path.startsWith('windows')).map(([, message]) => message);
  return (
    <fieldset className={css.windows}>
      <legend>{t.policy.windows}</legend>
      {windows.map((window, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a window has no identity but its place
        <div key={at} className={css.window}>
          <Select
            aria-label={t.policy.dimension}
            value={window.dimension}
            onChange={(dimension) => set(at, { dimension })}
            options={DIMENSIONS.map((value) => ({ value, label: t.policy.dimensions[value] }))}
          />
          <TypedInput
            {...{ label: t.policy.limit, value: window.limit }}
            prefix={window.dimension === 'amount' ? '¥' : undefined}
            form={window.dimension === 'amount' ? 'amount' : 'whole'}
            changed={before !== undefined && !isSame(known[at], window)}
            onType={(typed) =>
              set(at, { limit: (window.dimension === 'amount' ? toAmount(typed) : toWhole(typed)) ?? '' })
            }
          />
          <SpanSelect value={window.seconds} onChange={(seconds) => set(at, { seconds })} />
          <Button
            {...{ variant: 'ghost', size: 'sm', icon: 'x', 'aria-label': t.policy.removeWindow }}
            onClick={() => change(windows.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      {wrong.map((message) => (
        <p key={message} className={css.error}>
          {message}
        </p>
      ))}
      <Button {...{ variant: 'ghost', size: 'sm', icon: 'plus' }} onClick={add}>
        {t.policy.window}
      </Button>
    </fieldset>
  );
}

/** What the policy does, in sentences. */
function PolicyWords({ form: { entry, page } }: { readonly form: FormProps }) {
  const t = useCatalogueTexts().policy;
  const all = useCatalogueTexts();
  const windows = windowsOf(entry);
  const spans = [...new Set(windows.map(({ seconds }) => Number(seconds)))].toSorted((a, b) => a - b);
  const told = spans.map((span) => {
    const limits = windows.filter(({ seconds }) => Number(seconds) === span);
    return t.within(
      all.span(span),
      limits.map(({ dimension, limit }) => t.may(dimension, String(limit))),
    );
  });
  const plans = entry.id === undefined ? [] : plansWith(page.catalogue, String(entry.id));
  const { selectable } = entry;
  const choice = (selectable ?? plans.length === 0) === true ? 'yes' : 'no';
  return (
    <div className={css.words} aria-live="polite">
      <h3>{t.inWords}</h3>
      <p>
        <Words text={t.atOnceWords(entry.concurrency as number | string | undefined)} />
      </p>
      {told.map((text) => (
        <p key={text}>
          <Words text={text} />
        </p>
      ))}
      <p>
        {windows.length === 0
          ? t.noWindows
          : t.refused(
              windows.some(({ dimension }) => dimension !== 'tokens'),
              windows.some(({ dimension }) => dimension === 'tokens'),
            )}
      </p>
      <p className={css.dim}>
        {t.whose(plans)} {t.chosen[choice]}
      </p>
    </div>
  );
}
