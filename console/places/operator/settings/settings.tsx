import { useState } from 'react';
import { type Data, useApi, useApiWrite } from '../../../api/api.ts';
import { useSettings } from '../../../app/settings.ts';
import { Button } from '../../../parts/button.tsx';
import { FactList } from '../../../parts/figures/facts.tsx';
import { SwitchRow } from '../../../parts/form/choice.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Affix } from '../../../parts/form/input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Columns, Page, PageHead, Section, Stack } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { count } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import { ConfirmFree, needsFreeYes } from '../confirm-free.tsx';
import { ReadError, WriteError } from '../shared.tsx';
import { usePolicies } from '../use-names.ts';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Settings = Data<'getSettings'>;

const CHANGED = ['getSettings', 'getPublicSettings', 'listAuditEntries'] as const;

/** What holds for the whole platform. */
export function OperatorSettings() {
  const t = useTexts({ en, zh });
  const settings = useApi('getSettings', {});
  const data = settings.data?.data;
  return (
    <Page>
      <PageHead title={t.title} />
      <ReadError query={settings} />
      <Columns side={<Server />}>
        <Registration />
        {data === undefined ? (
          <Section title={t.rates}>
            <SkeletonLines lines={8} />
          </Section>
        ) : (
          <Forms key={JSON.stringify(data)} settings={data} />
        )}
      </Columns>
    </Page>
  );
}

function Registration() {
  const t = useTexts({ en, zh });
  const registration = useApi('getRegistration', {});
  const write = useApiWrite('openOrCloseRegistration', [
    ...(['getRegistration', 'getPublicSettings', 'listAuditEntries'] as const),
  ]);
  const shown = write.isPending ? write.variables.body.registration : registration.data?.data.registration;
  const value = shown === null ? 'default' : shown;
  return (
    <Section title={t.registration}>
      <Stack>
        <div className={css.field}>
          <Field label={t.whoMay} help={value === undefined ? undefined : t.registrationHelp[value]}>
            <Select
              value={value ?? 'default'}
              disabled={value === undefined}
              onChange={(next) => write.mutate({ body: { registration: next === 'default' ? null : next } })}
              options={(['open', 'closed', 'default'] as const).map((each) => ({
                value: each,
                label: t.registrations[each],
              }))}
            />
          </Field>
        </div>
        <WriteError error={write.error} />
      </Stack>
    </Section>
  );
}

/** What was typed stays until it is saved. */
function Forms({ settings }: { readonly settings: Settings }) {
  const t = useTexts({ en, zh });
  const [draft, setDraft] = useState(settings);
  const write = useApiWrite('updateSettings', CHANGED);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(settings);
  const change = (changed: Partial<Settings>) => setDraft({ ...draft, ...changed });
  const asksForYes = needsFreeYes(write.error);
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        write.mutate({ body: draft });
      }}
    >
      <Rates draft={draft} onChange={change} />
      <NewAccounts draft={draft} onChange={change} />
      <Grants draft={draft} onChange={change} />
      <div className={css.save}>
        <WriteError error={asksForYes ? null : write.error} />
        <Button variant="primary" type="submit" disabled={!isChanged} pending={write.isPending}>
          {t.save}
        </Button>
        <span>{isChanged ? t.unsaved : t.saved}</span>
      </div>
      {asksForYes && (
        <ConfirmFree
          {...{ name: t.rates, lines: [write.error?.message ?? ''], pending: write.isPending }}
          onConfirm={() => write.mutate({ body: { ...draft, confirm_free: true } })}
          onClose={() => write.reset()}
        />
      )}
    </form>
  );
}

interface PartProps {
  readonly draft: Settings;
  readonly onChange: (changed: Partial<Settings>) => void;
}

function Rates({ draft, onChange }: PartProps) {
  const t = useTexts({ en, zh });
  const { defaults } = draft;
  return (
    <Section title={t.rates}>
      <div className={css.fields}>
        <Field label={t.systemRate} help={t.systemRateHelp}>
          <Affix
            inputMode="decimal"
            suffix="%"
            value={draft.system_rate}
            onChange={(event) => onChange({ system_rate: event.target.value })}
          />
        </Field>
        <Field label={t.userRate} help={t.userRateHelp}>
          <Affix
            inputMode="decimal"
            suffix="%"
            value={defaults.user_rate}
            onChange={(event) => onChange({ defaults: { ...defaults, user_rate: event.target.value } })}
          />
        </Field>
      </div>
    </Section>
  );
}

function NewAccounts({ draft: { defaults }, onChange }: PartProps) {
  const t = useTexts({ en, zh });
  const policies = usePolicies();
  const { policy } = defaults;
  const isListed = policy === null || policies.some(({ id }) => id === policy);
  const set = (change: Partial<Settings['defaults']>) => onChange({ defaults: { ...defaults, ...change } });
  return (
    <Section title={t.newAccounts}>
      <Stack gap={16}>
        <div className={css.field}>
          <Field label={t.policy} help={t.policyHelp}>
            <Select
              value={policy === null ? '' : String(policy)}
              onChange={(next) => set({ policy: next === '' ? null : Number(next) })}
              options={[
                { value: '', label: t.noPolicy },
                ...policies.map(({ id, name }) => ({ value: String(id), label: name })),
                ...(isListed ? [] : [{ value: String(policy), label: t.policyNumber(policy) }]),
              ]}
            />
          </Field>
        </div>
        <SwitchRow
          label={t.apiBilling}
          help={t.apiBillingHelp}
          checked={defaults.api_billing}
          onChange={(on) => set({ api_billing: on })}
        />
        <SwitchRow
          label={t.autoExchange}
          help={t.autoExchangeHelp}
          checked={defaults.auto_exchange}
          onChange={(on) => set({ auto_exchange: on })}
        />
      </Stack>
    </Section>
  );
}

function Grants({ draft: { verification_grants: grants }, onChange }: PartProps) {
  const t = useTexts({ en, zh });
  return (
    <Section title={t.grants} note={t.grantsNote}>
      <div className={css.fields}>
        {(['personal', 'enterprise'] as const).map((kind) => (
          <Field key={kind} label={t[kind]}>
            <Affix
              inputMode="decimal"
              suffix={t.credits}
              value={grants[kind]}
              onChange={(event) =>
                onChange({ verification_grants: { ...grants, [kind]: event.target.value } })
              }
            />
          </Field>
        ))}
      </div>
    </Section>
  );
}

function Server() {
  const t = useTexts({ en, zh });
  const settings = useSettings();
  return (
    <Section title={t.server} note={t.serverNote}>
      {settings === undefined ? (
        <SkeletonLines lines={5} />
      ) : (
        <FactList
          facts={[
            { name: t.version, value: settings.version },
            { name: t.node, value: settings.node },
            { name: t.baseUrl, value: settings.base_url ?? '–' },
            { name: t.timeZone, value: settings.time_zone },
            { name: t.creditsPerYuan, value: count(settings.credits_per_yuan) },
          ]}
        />
      )}
    </Section>
  );
}
