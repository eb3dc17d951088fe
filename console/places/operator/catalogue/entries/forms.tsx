import type { ReactElement } from 'react';
import { PROTOCOLS } from '../../../../api/protocols.ts';
import { Field } from '../../../../parts/form/field.tsx';
import { Textarea } from '../../../../parts/form/input.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { Markdown } from '../../../../parts/markdown/markdown.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import css from '../catalogue.module.css';
import { type Entry, entriesOf, withField } from '../changes/document.ts';
import { useCatalogueTexts } from '../texts.ts';
import {
  EntryChoices,
  EntryField,
  EntrySwitch,
  type FormProps,
  StatusSwitch,
  TypedInput,
} from './fields.tsx';
import { PlanForm } from './plan-form.tsx';
import { PolicyForm } from './policy-form.tsx';

function VendorForm({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const code = String(form.entry.code ?? '');
  return (
    <Stack gap={16}>
      <EntryField {...{ form, name: 'name', label: t.fields.name, type: 'text', usual: code }} />
      <EntryField
        {...{ form, name: 'base_url', label: t.fields.base_url, type: 'mono', help: t.vendor.addressHelp }}
      />
      <EntryChoices
        {...{ form, name: 'protocols', label: t.fields.protocols }}
        options={PROTOCOLS.map((value) => ({ value, label: value }))}
      />
      <EntryField
        {...{ form, name: 'rate', label: t.fields.rate, type: 'amount', usual: '100', help: t.rateHelp }}
        suffix="%"
      />
      <EntrySwitch {...{ form, name: 'byok', label: t.vendor.byok, help: t.vendor.byokHelp, usual: false }} />
      <EntrySwitch
        {...{
          form,
          name: 'custom_base_url',
          label: t.vendor.ownAddress,
          help: t.vendor.ownAddressHelp,
          usual: false,
        }}
      />
    </Stack>
  );
}

function CredentialForm({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange } = form;
  const limits = (entry.limits ?? {}) as Entry;
  const limit = (name: 'concurrency' | 'rpm' | 'tpm') => (
    <Field key={name} label={t.credential[name]} error={form.errors.get(`limits.${name}`)}>
      <TypedInput
        form="whole"
        value={limits[name]}
        placeholder={t.unlimited}
        suffix={t.units[name === 'tpm' ? 'tokens' : 'calls']}
        onType={(typed) => {
          const next = withField(limits, name, typed === '' ? undefined : Number(typed) || typed);
          onChange(withField(entry, 'limits', next, {}));
        }}
      />
    </Field>
  );
  return (
    <Stack gap={16}>
      <StatusSwitch {...{ form, label: t.credential.enabled, help: t.credential.enabledHelp }} />
      <EntryField
        {...{ form, name: 'rate', label: t.fields.costRate, type: 'amount', usual: '100', help: t.costHelp }}
        suffix="%"
      />
      <EntryField
        {...{
          form,
          name: 'base_url',
          label: t.credential.ownAddress,
          type: 'mono',
          help: t.credential.ownAddressHelp,
        }}
      />
      <div className={css.three}>{(['concurrency', 'rpm', 'tpm'] as const).map(limit)}</div>
    </Stack>
  );
}

function AnnouncementForm({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, errors } = form;
  const body = String(entry.body ?? '');
  const time = t.announcement.timeForm;
  return (
    <Stack gap={16}>
      <EntryField {...{ form, name: 'title', label: t.fields.title, type: 'text' }} />
      <div className={css.two}>
        <EntryField
          {...{ form, name: 'starts_at', label: t.fields.starts_at, type: 'mono', placeholder: time }}
        />
        <EntryField
          {...{ form, name: 'ends_at', label: t.fields.ends_at, type: 'mono', placeholder: time }}
        />
      </div>
      <Field
        label={t.fields.body}
        help={t.announcement.bodyHelp}
        error={errors.get('body') ?? errors.get('')}
      >
        <Textarea
          rows={8}
          value={body}
          onChange={(event) => onChange(withField(entry, 'body', event.target.value, ''))}
        />
      </Field>
      <section className={css.preview} aria-label={t.announcement.preview}>
        <h3>{t.announcement.preview}</h3>
        <h4>{String(entry.title ?? '')}</h4>
        <Markdown text={body} />
      </section>
    </Stack>
  );
}

/** A new model: its name, its prices and one way to serve it. The rest is on its page. */
function ModelForm({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, page } = form;
  const prices = (entry.prices ?? {}) as Entry;
  const [route = {}] = (entry.routes ?? []) as readonly Entry[];
  const credentials = entriesOf(page.catalogue.document, 'credentials');
  const price = (name: 'input' | 'output') => (
    <Field key={name} label={t.priceName(name)} error={form.errors.get(`prices.${name}`)}>
      <TypedInput
        {...{ form: 'amount', prefix: '¥', suffix: '/M', value: prices[name] }}
        onType={(typed) =>
          onChange(withField(entry, 'prices', withField(prices, name, typed === '' ? undefined : typed)))
        }
      />
    </Field>
  );
  const choose = (name: string) => {
    const found = credentials.find((each) => each.name === name);
    const { forward_model_id: forward } = route;
    const made = {
      vendor: found?.vendor,
      credential: name,
      ...(forward !== undefined && { forward_model_id: forward }),
    };
    onChange(withField(entry, 'routes', name === '' ? undefined : [made]));
  };
  return (
    <Stack gap={16}>
      <EntryField {...{ form, name: 'name', label: t.fields.name, type: 'text', usual: entry.model_id }} />
      <div className={css.two}>{(['input', 'output'] as const).map(price)}</div>
      <Field label={t.route.credential} help={t.model.routeHelp}>
        <Select
          value={String(route.credential ?? '')}
          onChange={choose}
          options={[
            { value: '', label: t.route.none },
            ...credentials.map((each) => ({
              value: String(each.name),
              label: `${each.name} (${each.vendor})`,
            })),
          ]}
        />
      </Field>
      {route.credential !== undefined && (
        <Field label={t.route.forward} help={t.route.forwardHelp}>
          <TypedInput
            {...{ form: 'mono', value: route.forward_model_id ?? entry.model_id }}
            onType={(typed) =>
              onChange({
                ...entry,
                routes: [
                  withField(route, 'forward_model_id', typed === '' ? undefined : typed, entry.model_id),
                ],
              })
            }
          />
        </Field>
      )}
    </Stack>
  );
}

export type FormKind = 'vendors' | 'credentials' | 'models' | 'policies' | 'plans' | 'announcements';

/** The form of a kind of entry. */
export function EntryForm({
  kind,
  form,
}: {
  readonly kind: FormKind;
  readonly form: FormProps;
}): ReactElement {
  const all = form.errors.get('');
  const forms = {
    ...{ vendors: VendorForm, credentials: CredentialForm, models: ModelForm, policies: PolicyForm },
    ...{ plans: PlanForm, announcements: AnnouncementForm },
  };
  const Form = forms[kind];
  return (
    <div className={css.form}>
      {all !== undefined && <Banner tone="bad">{all}</Banner>}
      <Form form={form} />
    </div>
  );
}
