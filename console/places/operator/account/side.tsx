import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { FactList } from '../../../parts/figures/facts.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { count } from '../../../parts/text/format.ts';
import { Pill } from '../../../parts/text/status.tsx';
import { Dim, Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from './account.module.css';
import type { Account } from './data.ts';
import { PasswordDialog, PlanDialog, RatesDialog, SessionsDialog, StatusDialog } from './dialogs.tsx';
import { MoneyDialog } from './money-dialog.tsx';
import { OneNote } from './notes.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

interface SideProps {
  readonly account: Account;
}

/** What only an operator may do, and what helps to decide it. */
export function Side({ account }: SideProps) {
  return (
    <>
      <Actions account={account} />
      <Verification account={account} />
      <LastNote account={account} />
      <LastSessions account={account} />
    </>
  );
}

type Action = 'plan' | 'rates' | 'adjust' | 'top-up' | 'password' | 'status';

function Actions({ account }: SideProps) {
  const t = useTexts({ en, zh });
  const [open, setOpen] = useState<Action>();
  const props = { account, onClose: () => setOpen(undefined) };
  const isOn = account.status === 'enabled';
  const button = (action: Action, text: string) => (
    <Button
      size="sm"
      variant={action === 'status' && isOn ? 'danger' : 'secondary'}
      onClick={() => setOpen(action)}
    >
      {text}
    </Button>
  );
  return (
    <Section title={t.actions}>
      <div className={css.actions}>
        {button('plan', t.plans.grantPlan)}
        {button('rates', t.rates.action)}
        {button('adjust', t.money.adjust)}
        {button('top-up', t.topUp)}
        {button('password', t.password.action)}
        {button('status', t.status.actions[isOn ? 'disabled' : 'enabled'])}
      </div>
      <p className={css.help}>{t.audited}</p>
      {open === 'plan' && <PlanDialog {...props} />}
      {open === 'rates' && <RatesDialog {...props} />}
      {(open === 'adjust' || open === 'top-up') && <MoneyDialog {...props} kind={open} />}
      {open === 'password' && <PasswordDialog {...props} />}
      {open === 'status' && <StatusDialog {...props} />}
    </Section>
  );
}

function Verification({ account }: SideProps) {
  const t = useTexts({ en, zh });
  const { verification, user_type: level } = account;
  return (
    <Section
      title={t.verification}
      right={
        <Pill tone={level > 0 ? 'ok' : 'plain'} icon={level > 0 ? 'check' : undefined}>
          {t.levels[level] ?? String(level)}
        </Pill>
      }
    >
      {verification === null ? (
        <Dim>{account.user_type > 0 ? t.setByOperator : t.neverApplied}</Dim>
      ) : (
        <>
          <FactList
            facts={[
              { name: t.name, value: verification.name },
              { name: t.document, value: <Mono>{verification.document_number}</Mono> },
              { name: t.state, value: t.verificationStates[verification.status] },
              {
                name: t.time,
                value: <Time at={verification.decided_at ?? verification.created_at} />,
              },
            ]}
          />
          <p className={css.help}>
            <Link
              to="/operator/verification"
              search={{
                open: verification.id,
                ...(verification.status !== 'pending' && { status: verification.status }),
              }}
            >
              {verification.status === 'pending' ? t.decide : t.openApplication}
            </Link>
          </p>
        </>
      )}
    </Section>
  );
}

function LastNote({ account: { id } }: SideProps) {
  const t = useTexts({ en, zh });
  const notes = useApi('listNotesOnAccount', { params: { id }, query: { page: 1, size: 1 } }).data;
  const note = notes?.data[0];
  return (
    <Section
      title={t.notes.last}
      note={notes === undefined || notes.total < 2 ? undefined : count(notes.total)}
      right={
        <Link to="/operator/accounts/$id" params={{ id: String(id) }} search={{ tab: 'notes' as const }}>
          {t.notes.write}
        </Link>
      }
    >
      {note === undefined ? <Dim>{t.notes.none}</Dim> : <OneNote accountId={id} note={note} />}
    </Section>
  );
}

const SESSIONS = 4;

function LastSessions({ account }: SideProps) {
  const t = useTexts({ en, zh });
  const [isOpen, setOpen] = useState(false);
  const sessions = useApi('listSessionsOfAccount', { params: { id: account.id } }).data?.data;
  return (
    <Section
      title={t.tabs.sessions}
      note={sessions === undefined ? undefined : count(sessions.length)}
      right={
        sessions !== undefined &&
        sessions.length > 0 && (
          <Button size="xs" variant="ghost" onClick={() => setOpen(true)}>
            {t.sessions.end}
          </Button>
        )
      }
    >
      {sessions?.length === 0 && <Dim>{t.sessions.none}</Dim>}
      {sessions?.slice(0, SESSIONS).map((each) => (
        <div key={`${each.created_at} ${each.user_agent} ${each.expires_at}`} className={css.line}>
          <span title={each.user_agent}>{each.user_agent || each.address}</span>
          <Time at={each.last_seen_at} />
        </div>
      ))}
      {isOpen && <SessionsDialog account={account} onClose={() => setOpen(false)} />}
    </Section>
  );
}
