import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { type Data, useApi, useApiWrite } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useProfile } from '../../app/session.ts';
import { useSettings } from '../../app/settings.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input } from '../../parts/form/input.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { credits } from '../../parts/text/format.ts';
import { Dot } from '../../parts/text/status.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type State = NonNullable<Data<'getVerification'>['verification']>;
type Kind = State['kind'];

const LEVELS = { unverified: 0, personal: 1, enterprise: 2 } as const;
const KINDS = ['personal', 'enterprise'] as const;
/** How often a pending one is looked at: an operator decides it elsewhere. */
const LOOK_MS = 3_000;

/** The state of the account, and the form where there is something to submit. */
export function Verification() {
  const t = useTexts({ en, zh });
  const profile = useProfile();
  const answer = useApi(
    'getVerification',
    {},
    {
      refetchInterval: ({ state }) => (state.data?.data.verification?.status === 'pending' ? LOOK_MS : false),
    },
  );
  const last = answer.data?.data.verification;
  const decided = last?.status === 'approved' ? last.id : undefined;
  // What an operator approves unlocks models at once.
  useEffect(() => {
    if (decided === undefined) return;
    for (const name of ['getProfile', 'listPrices']) void queries.invalidateQueries({ queryKey: [name] });
  }, [decided]);
  if (answer.isError && answer.data === undefined) {
    return (
      <ErrorNote
        cause={t.verificationUnread}
        requestId={answer.error.requestId}
        onRetry={() => void answer.refetch()}
      />
    );
  }
  if (profile === undefined || answer.data === undefined) return <SkeletonLines lines={2} />;
  const level = LEVELS[profile.verification];
  return (
    <>
      <ol className={css.levels}>
        {KINDS.map((kind) => (
          <Level key={kind} kind={kind} level={level} last={last ?? null} />
        ))}
      </ol>
      <Locked />
      {last?.status === 'refused' && (
        <Banner tone="warn">
          <b>{t.refusedTitle}</b> {last.reason ?? t.noReason} {t.submitAgain}
        </Banner>
      )}
      {level < 2 && last?.status !== 'pending' && <Form level={level} />}
    </>
  );
}

interface LevelProps {
  readonly kind: Kind;
  readonly level: number;
  readonly last: State | null;
}

function Level({ kind, level, last }: LevelProps) {
  const t = useTexts({ en, zh });
  const grants = useSettings()?.verification_grants[kind];
  const isReached = level >= LEVELS[kind];
  const isPending = last?.status === 'pending' && last.kind === kind;
  const isOwn = last?.kind === kind;
  const note: ReactNode = isReached ? (
    isOwn && last.decided_at !== null ? (
      <>
        {t.sinceWord} <Time at={last.decided_at} />, {t.document(last.document_number)}
      </>
    ) : (
      t.reached
    )
  ) : isPending ? (
    <>
      {t.submitted} <Time at={last.created_at} />, {t.document(last.document_number)}
    </>
  ) : grants !== undefined && Number(grants) > 0 ? (
    t.grants(credits(grants))
  ) : (
    t.notYet
  );
  return (
    <li className={isReached ? css.reached : undefined}>
      {isReached ? <Icon name="check" size={14} /> : <Dot tone={isPending ? 'live' : 'off'} />}
      <span>
        <b>{isPending ? t.pendingKind(t.kinds[kind]) : t.kinds[kind]}</b>
        <small>{note}</small>
      </span>
    </li>
  );
}

/** The models that a verification would unlock. */
function Locked() {
  const t = useTexts({ en, zh });
  const models = useApi('listPrices', {}).data?.data.models;
  if (models === undefined) return null;
  const locked = models.filter((each) => each.restriction === 'verification' && each.refusal !== null);
  const names = [...new Set(locked.map(({ model_id: id }) => id))];
  if (names.length === 0) return <p className={css.hint}>{t.nothingLocked}</p>;
  return (
    <p className={css.hint}>
      {t.lockedFor}{' '}
      {names.map((name, at) => (
        <Fragment key={name}>
          {at > 0 && ', '}
          <Link to="/models" search={{ model: name } as never}>
            {name}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}

function fieldOf(message: string | undefined, field: string): string | undefined {
  return message?.startsWith(field) === true ? message : undefined;
}

function Form({ level }: { readonly level: number }) {
  const t = useTexts({ en, zh });
  const [kind, setKind] = useState<Kind>(level === 0 ? 'personal' : 'enterprise');
  const [name, setName] = useState('');
  const [number, setNumber] = useState('');
  const [contact, setContact] = useState('');
  const write = useApiWrite('submitVerification', ['getVerification']);
  const canSend = name.trim() !== '' && number.trim() !== '' && !write.isPending;
  const message = write.error?.message;
  const errors = ['name', 'document_number', 'contact'].map((field) => fieldOf(message, field));
  const submit = () => {
    const given = { name: name.trim(), document_number: number.trim() };
    const trimmed = contact.trim();
    write.mutate({ body: { kind, ...given, contact: trimmed === '' ? null : trimmed } });
  };
  return (
    <form
      className={css.form}
      noValidate
      aria-label={t.submitTitle}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) submit();
      }}
    >
      {level === 0 && (
        <Segmented
          label={t.kind}
          value={kind}
          onChange={setKind}
          options={KINDS.map((value) => ({ value, label: t.kinds[value] }))}
        />
      )}
      <div className={css.three}>
        <Field label={kind === 'personal' ? t.personName : t.enterpriseName} error={errors[0]}>
          <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={kind === 'personal' ? t.personNumber : t.enterpriseNumber} error={errors[1]}>
          <Input mono value={number} autoComplete="off" onChange={(event) => setNumber(event.target.value)} />
        </Field>
        <Field label={t.contact} note={t.optional} error={errors[2]}>
          <Input value={contact} autoComplete="off" onChange={(event) => setContact(event.target.value)} />
        </Field>
      </div>
      {write.isError && errors.every((each) => each === undefined) && (
        <ErrorNote cause={write.error.message} requestId={write.error.requestId} />
      )}
      <div className={css.send}>
        <Button type="submit" disabled={!canSend && !write.isPending} pending={write.isPending}>
          {t.submit}
        </Button>
        <p className={css.hint}>{canSend || write.isPending ? t.reviewed : t.fillFirst[kind]}</p>
      </div>
    </form>
  );
}
