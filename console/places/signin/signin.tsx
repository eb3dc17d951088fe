import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { sessionBegan } from '../../app/session.ts';
import { useSettings } from '../../app/settings.ts';
import { useTexts } from '../../texts/language.ts';
import { EntryPage } from './entry-page.tsx';
import { SignInForm } from './sign-in-form.tsx';
import css from './signin.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export function SignIn() {
  const t = useTexts({ en, zh });
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/public/signin' });
  const settings = useSettings();
  const go = (): void => {
    sessionBegan();
    void navigate({ href: next ?? '/', replace: true });
  };
  return (
    <EntryPage title={t.title} lead={t.lead}>
      <SignInForm onSignedIn={go} />
      {settings?.operator_missing === true && (
        <p className={css.other}>
          {t.noOperator} <Link to="/setup">{t.setUp}</Link>
        </p>
      )}
      {settings?.operator_missing === false && settings.registration === 'open' && (
        <p className={css.other}>
          {t.newHere} <Link to="/register">{t.register}</Link>
        </p>
      )}
      {settings?.operator_missing === false && settings.registration === 'closed' && (
        <p className={css.other}>{t.closed}</p>
      )}
    </EntryPage>
  );
}
