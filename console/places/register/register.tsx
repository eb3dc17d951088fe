import { Link, useNavigate } from '@tanstack/react-router';
import { useApi } from '../../api/api.ts';
import { sessionBegan } from '../../app/session.ts';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { useTexts } from '../../texts/language.ts';
import { EntryPage } from '../signin/entry-page.tsx';
import css from '../signin/signin.module.css';
import { NewAccountForm } from './new-account-form.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export function Register() {
  const t = useTexts({ en, zh });
  const navigate = useNavigate();
  const { data: answer, error, refetch, isFetching } = useApi('getPublicSettings', {});
  const settings = answer?.data;
  const begin = (): void => {
    sessionBegan();
    void navigate({ to: '/start', replace: true });
  };
  return (
    <EntryPage title={t.title} lead={settings?.registration === 'closed' ? t.closed : t.lead}>
      {settings === undefined && error === null && <SkeletonLines lines={6} />}
      {settings === undefined && error !== null && (
        <ErrorNote
          cause={t.unread}
          requestId={error.requestId}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {settings?.registration === 'open' && (
        <NewAccountForm
          operation="register"
          submit={t.submit}
          passwordLength={settings.password_length}
          onDone={begin}
        />
      )}
      <p className={css.other}>
        {t.known} <Link to="/signin">{t.signIn}</Link>
      </p>
    </EntryPage>
  );
}
