import { useState } from 'react';
import { useApi, useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { SwitchRow } from '../../../parts/form/choice.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Affix, NumberInput } from '../../../parts/form/input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Dialog } from '../../../parts/overlay/dialog.tsx';
import { money } from '../../../parts/text/format.ts';
import { KeyOnce } from '../../../parts/text/key-once.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Ask } from '../shared.tsx';
import { usePolicies } from '../use-names.ts';
import { type Account, CHANGED } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

interface DialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Rates, policy, role, and how calls are paid. */
export function RatesDialog({ account, onClose }: DialogProps) {
  const t = useTexts({ en, zh });
  const policies = usePolicies();
  const [rate, setRate] = useState(account.user_rate);
  const [policy, setPolicy] = useState(account.policy_id === null ? '' : String(account.policy_id));
  const [role, setRole] = useState(account.role);
  const [level, setLevel] = useState(String(account.user_type));
  const [billing, setBilling] = useState(account.api_billing);
  const [exchange, setExchange] = useState(account.auto_exchange);
  const [cap, setCap] = useState(account.extra_api_quota);
  const write = useApiWrite('updateAccount', CHANGED);
  const submit = () => {
    const all = {
      ...{ user_rate: rate.trim(), policy_id: policy === '' ? null : Number(policy), role },
      ...{ user_type: Number(level), api_billing: billing, auto_exchange: exchange },
      extra_api_quota: cap.trim(),
    };
    // Only what was changed is sent: another operator may have changed the rest meanwhile.
    const body = Object.fromEntries(
      Object.entries(all).filter(([name, value]) => account[name as keyof typeof all] !== value),
    );
    write.mutate({ params: { id: account.id }, body }, { onSuccess: onClose });
  };
  return (
    <Ask
      title={t.rates.title(account.email)}
      action={t.save}
      {...{ onClose, onSubmit: submit, pending: write.isPending, error: write.error }}
    >
      <Field label={t.userRate} help={t.rates.rateHelp}>
        <Affix
          suffix="%"
          inputMode="decimal"
          value={rate}
          onChange={(event) => setRate(event.target.value)}
        />
      </Field>
      <Field label={t.policy}>
        <Select
          value={policy}
          onChange={setPolicy}
          options={[
            { value: '', label: t.noPolicy },
            ...policies.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      </Field>
      <Field label={t.role}>
        <Select
          value={role}
          onChange={setRole}
          options={(['user', 'operator'] as const).map((value) => ({ value, label: t.roles[value] }))}
        />
      </Field>
      <Field label={t.verification}>
        <Select
          value={level}
          onChange={setLevel}
          options={t.levels.map((label, value) => ({ value: String(value), label }))}
        />
      </Field>
      <Field label={t.rates.cap} help={t.rates.capHelp}>
        <Affix prefix="¥" inputMode="decimal" value={cap} onChange={(event) => setCap(event.target.value)} />
      </Field>
      <SwitchRow label={t.paysWithCredits} checked={billing} onChange={setBilling} />
      <SwitchRow label={t.exchangesItself} checked={exchange} onChange={setExchange} />
    </Ask>
  );
}

export function PlanDialog({ account, onClose }: DialogProps) {
  const t = useTexts({ en, zh });
  const known = useApi('listPlans', { query: { size: 100 } }).data?.data;
  const plans = known ?? [];
  const [chosen, setChosen] = useState('');
  const [days, setDays] = useState('');
  const [start, setStart] = useState<'now' | 'after-current'>('now');
  const write = useApiWrite('grantSubscription', CHANGED);
  const plan = plans.find(({ code }) => code === chosen) ?? plans[0];
  const submit = () =>
    write.mutate(
      {
        params: { id: account.id },
        body: {
          ...{ plan: plan?.code ?? '', start },
          ...(days.trim() !== '' && { days: Number(days) }),
        },
      },
      { onSuccess: onClose },
    );
  return (
    <Ask
      title={t.plans.title(account.email)}
      action={t.plans.grant}
      isReady={plan !== undefined}
      {...{ onClose, onSubmit: submit, pending: write.isPending, error: write.error }}
    >
      <Field label={t.plan} help={plan ? t.plans.offer(money(plan.price), plan.days) : known && t.plans.none}>
        <Select
          value={plan?.code ?? ''}
          onChange={setChosen}
          options={plans.map(({ code, name }) => ({ value: code, label: name }))}
        />
      </Field>
      <Field label={t.plans.days} help={t.plans.daysHelp}>
        <NumberInput
          value={days}
          placeholder={plan === undefined ? '' : String(plan.days)}
          onChange={(event) => setDays(event.target.value)}
        />
      </Field>
      <Field label={t.plans.start}>
        <Select
          value={start}
          onChange={setStart}
          options={(['now', 'after-current'] as const).map((value) => ({
            ...{ value, label: t.plans.starts[value] },
          }))}
        />
      </Field>
    </Ask>
  );
}

interface CancelProps extends DialogProps {
  readonly subscription: { readonly id: number; readonly plan: string };
}

export function CancelPlanDialog({ account, subscription, onClose }: CancelProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('cancelSubscription', CHANGED);
  const params = { id: account.id, subscription_id: subscription.id };
  return (
    <Ask
      danger
      title={t.plans.cancelTitle(subscription.plan)}
      action={t.plans.cancel}
      onClose={onClose}
      onSubmit={() => write.mutate({ params }, { onSuccess: onClose })}
      pending={write.isPending}
      error={write.error}
    >
      <p>{t.plans.cancelText}</p>
    </Ask>
  );
}

/** The new password is shown once. */
export function PasswordDialog({ account, onClose }: DialogProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('resetPasswordOfAccount', CHANGED);
  const made = write.data?.data;
  if (made !== undefined) {
    return (
      <Dialog
        open
        onClose={onClose}
        title={t.password.done}
        foot={
          <Button variant="primary" onClick={onClose}>
            {t.close}
          </Button>
        }
      >
        <KeyOnce title={account.email} secret={made.password}>
          {t.password.ended(made.ended_sessions)}
        </KeyOnce>
      </Dialog>
    );
  }
  return (
    <Ask
      danger
      title={t.password.title(account.email)}
      action={t.password.action}
      onClose={onClose}
      onSubmit={() => write.mutate({ params: { id: account.id } })}
      pending={write.isPending}
      error={write.error}
    >
      <p>{t.password.text}</p>
    </Ask>
  );
}

export function StatusDialog({ account, onClose }: DialogProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('updateAccount', CHANGED);
  const status = account.status === 'enabled' ? 'disabled' : 'enabled';
  return (
    <Ask
      danger={status === 'disabled'}
      title={t.status.titles[status](account.email)}
      action={t.status.actions[status]}
      onClose={onClose}
      onSubmit={() => write.mutate({ params: { id: account.id }, body: { status } }, { onSuccess: onClose })}
      pending={write.isPending}
      error={write.error}
    >
      <p>{t.status.texts[status]}</p>
    </Ask>
  );
}

export function SessionsDialog({ account, onClose }: DialogProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('endSessionsOfAccount', CHANGED);
  return (
    <Ask
      danger
      title={t.sessions.title(account.email)}
      action={t.sessions.end}
      onClose={onClose}
      onSubmit={() => write.mutate({ params: { id: account.id } }, { onSuccess: onClose })}
      pending={write.isPending}
      error={write.error}
    >
      <p>{t.sessions.text}</p>
    </Ask>
  );
}
