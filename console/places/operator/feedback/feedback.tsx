import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { type Row as RowOf, useApi, useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { classes } from '../../../parts/classes.ts';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { showToast } from '../../../parts/overlay/toast.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { FilterBar } from '../../../parts/page/filter-bar.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { count } from '../../../parts/text/format.ts';
import { Status } from '../../../parts/text/status.tsx';
import { Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Pages, ReadError, WriteError } from '../shared.tsx';
import { AnswerForm, Given } from './answer.tsx';
import css from './feedback.module.css';
import { operatorFeedbackRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Message = RowOf<'listFeedback'>;

const SIZE = 50;
const REFRESH_MS = 15_000;
const CALL_ID = /(req_[\w-]{8,90})/;

/** What users wrote, newest first. */
export function Feedback() {
  const t = useTexts({ en, zh });
  const { status = 'open', page = 1 } = operatorFeedbackRoute.useSearch();
  const navigate = operatorFeedbackRoute.useNavigate();
  const list = useApi(
    'listFeedback',
    { query: { page, size: SIZE, ...(status !== 'all' && { status }) } },
    { refetchInterval: REFRESH_MS },
  );
  const rows = list.data?.data;
  const total = list.data?.total;
  return (
    <Page>
      <PageHead
        title={t.title}
        lead={status === 'open' && total !== undefined ? t.waiting(count(total), total) : undefined}
      />
      <FilterBar>
        <Segmented
          label={t.status}
          value={status}
          onChange={(next) =>
            void navigate({ search: { status: next === 'open' ? undefined : next }, replace: true })
          }
          options={(['open', 'done', 'all'] as const).map((value) => ({ value, label: t.states[value] }))}
        />
      </FilterBar>
      <ReadError query={list} />
      {rows === undefined ? (
        <SkeletonLines lines={8} />
      ) : rows.length === 0 ? (
        <Empty title={t.empty[status]}>{t.emptyText}</Empty>
      ) : (
        <ul className={css.list} aria-label={t.title}>
          {rows.map((message) => (
            <Item key={message.id} message={message} />
          ))}
        </ul>
      )}
      <Pages
        answer={list.data}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </Page>
  );
}

const CHANGED = ['listFeedback', 'getOverview', 'listAuditEntries'] as const;

function Item({ message }: { readonly message: Message }) {
  const t = useTexts({ en, zh });
  const { id, status, content, account_id: accountId } = message;
  const [isAnswering, setAnswering] = useState(false);
  const write = useApiWrite('updateFeedback', CHANGED);
  const set = (next: 'open' | 'done') => write.mutateAsync({ params: { id }, body: { status: next } });
  const move = async () => {
    const next = status === 'open' ? 'done' : 'open';
    const isDone = await set(next).then(
      () => true,
      () => false,
    );
    if (isDone) showToast({ text: t.moved[next], onUndo: () => void set(status).catch(() => undefined) });
  };
  return (
    <li className={classes(css.item, status === 'done' && css.done)}>
      <Head message={message} />
      <p className={css.text}>
        <Linked text={content} />
      </p>
      {message.answer !== null && !isAnswering && <Given message={message} />}
      {isAnswering ? (
        <AnswerForm message={message} onClose={() => setAnswering(false)} />
      ) : (
        <div className={css.acts}>
          {accountId !== null && (
            <Button size="sm" onClick={() => setAnswering(true)}>
              {message.answer === null ? t.answer : t.changeAnswer}
            </Button>
          )}
          <Button
            size="sm"
            icon={status === 'open' ? 'check' : 'undo'}
            pending={write.isPending}
            onClick={move}
          >
            {status === 'open' ? t.markDone : t.reopen}
          </Button>
        </div>
      )}
      <WriteError error={write.error} />
    </li>
  );
}

function Head({ message }: { readonly message: Message }) {
  const t = useTexts({ en, zh });
  const { status, account_id: accountId, email, contact } = message;
  return (
    <div className={css.head}>
      {accountId === null ? (
        <b>{t.anonymous}</b>
      ) : (
        <Link to="/operator/accounts/$id" params={{ id: String(accountId) }}>
          {email ?? t.accountNumber(accountId)}
        </Link>
      )}
      {contact !== null && contact !== '' && contact !== email && (
        <span>
          {t.contact} <b>{contact}</b>
        </span>
      )}
      <Time at={message.created_at} />
      <Status tone={status === 'open' ? 'warn' : 'ok'}>{t.states[status]}</Status>
    </div>
  );
}

/** A text of a user stays text. Only the ids of calls in it lead to them. */
function Linked({ text }: { readonly text: string }) {
  return text.split(CALL_ID).map((part, at) =>
    at % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
      <Fragment key={at}>{part}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
      <Link key={at} to="/operator/calls" search={{ call: part }}>
        <Mono>{part}</Mono>
      </Link>
    ),
  );
}
