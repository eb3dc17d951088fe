import { type Row as ApiRow, useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { Dot } from '../../parts/text/status.tsx';
import { Dim, Sub } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import { browserOf } from './browser.ts';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Session = ApiRow<'listSessions'>;

export function Sessions() {
  const t = useTexts({ en, zh });
  const answer = useApi('listSessions', {});
  const others = useApiWrite('endOtherSessions', ['listSessions']);
  const sessions = answer.data?.data;
  if (sessions === undefined) {
    return answer.isError ? (
      <ErrorNote
        cause={t.sessionsUnread}
        requestId={answer.error.requestId}
        onRetry={() => void answer.refetch()}
      />
    ) : (
      <SkeletonLines lines={3} />
    );
  }
  const rest = sessions.filter(({ current }) => !current).length;
  return (
    <>
      <ul className={css.sessions}>
        {sessions.map((session) => (
          <OneSession key={session.id} session={session} />
        ))}
      </ul>
      {rest > 0 && (
        <Button variant="danger" size="sm" pending={others.isPending} onClick={() => others.mutate({})}>
          {t.endOthers(rest)}
        </Button>
      )}
      {others.isError && <ErrorNote cause={others.error.message} requestId={others.error.requestId} />}
    </>
  );
}

function OneSession({ session }: { readonly session: Session }) {
  const t = useTexts({ en, zh });
  const end = useApiWrite('endSession', ['listSessions']);
  const { id, current, kind, address, user_agent: agent, created_at: created, last_seen_at: seen } = session;
  const browser = browserOf(agent);
  const name = kind === 'token' ? t.program : browser === undefined ? t.browser : t.browserOn(browser);
  return (
    <li>
      <Dot tone={current ? 'ok' : 'off'} />
      <span title={agent}>
        <b>{current ? t.thisBrowser : name}</b>{' '}
        <Sub>
          {current ? (
            name
          ) : (
            <>
              {t.signedIn} <Time at={created} />
            </>
          )}
        </Sub>
        <small>{address}</small>
      </span>
      <span className={css.when}>{current ? t.now : <Time at={seen} />}</span>
      {current ? (
        <Dim className={css.this}>{t.thisOne}</Dim>
      ) : (
        <Button
          variant="ghost"
          size="xs"
          pending={end.isPending}
          aria-label={t.endNamed(name)}
          onClick={() => end.mutate({ params: { id } })}
        >
          {t.end}
        </Button>
      )}
    </li>
  );
}
