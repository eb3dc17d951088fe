import { useState } from 'react';
import { type Row as ApiRow, useApi } from '../../api/api.ts';
import { AskOperator } from '../../app/message/ask-operator.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { Status } from '../../parts/text/status.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Message = ApiRow<'listSentFeedback'>;

const FEW = 3;
const MANY = 50;
/** No event tells of an answer. */
const LOOK_MS = 15_000;

/** What the account wrote to the operator, and the answers. */
export function Messages() {
  const t = useTexts({ en, zh });
  const [size, setSize] = useState(FEW);
  const answer = useApi('listSentFeedback', { query: { size } }, { refetchInterval: LOOK_MS });
  const messages = answer.data?.data;
  const total = answer.data?.total ?? 0;
  return (
    <>
      {messages === undefined && !answer.isError && <SkeletonLines lines={2} />}
      {answer.isError && (
        <ErrorNote
          cause={t.messagesUnread}
          requestId={answer.error.requestId}
          onRetry={() => void answer.refetch()}
        />
      )}
      {messages?.length === 0 && <p className={css.hint}>{t.noMessages}</p>}
      {messages !== undefined && messages.length > 0 && (
        <ul className={css.messages}>
          {messages.map((message) => (
            <OneMessage key={message.id} message={message} />
          ))}
        </ul>
      )}
      <div className={css.send}>
        <AskOperator title={t.write} message="" />
        {total > size && size < MANY && (
          <Button variant="ghost" size="sm" onClick={() => setSize(MANY)}>
            {t.older}
          </Button>
        )}
      </div>
    </>
  );
}

function OneMessage({ message }: { readonly message: Message }) {
  const t = useTexts({ en, zh });
  const { content, status, answer, answered_at: answeredAt, created_at: createdAt } = message;
  const state = answer !== null ? 'answered' : status === 'done' ? 'closed' : 'waiting';
  return (
    <li>
      <div className={css.messageHead}>
        <Status tone={state === 'waiting' ? 'warn' : state === 'answered' ? 'ok' : 'off'}>
          {t.messageStates[state]}
        </Status>
        <Time at={createdAt} />
      </div>
      <p>{content}</p>
      {answer !== null && (
        <div className={css.answer}>
          <div className={css.messageHead}>
            <b>{t.operator}</b>
            {answeredAt !== null && <Time at={answeredAt} />}
          </div>
          <p>{answer}</p>
        </div>
      )}
    </li>
  );
}
