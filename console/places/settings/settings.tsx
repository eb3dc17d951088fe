import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useApi } from '../../api/api.ts';
import { useProfile } from '../../app/session.ts';
import { chooseTheme, type Theme, useTheme } from '../../app/theme.ts';
import { LinkButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { FactList } from '../../parts/figures/facts.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Page, PageHead } from '../../parts/page/layout.tsx';
import { longDay } from '../../parts/text/times.ts';
import { chooseLanguage, useLanguage, useTexts } from '../../texts/language.ts';
import { FallbackModel } from './fallback-model.tsx';
import { Messages } from './messages.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { Verification } from './verification.tsx';

const SECTIONS = [
  ...(['profile', 'verification', 'notifications', 'fallback'] as const),
  ...(['password', 'sessions', 'messages', 'look'] as const),
] as const;
type SectionName = (typeof SECTIONS)[number];

const CONTENTS: Readonly<Record<SectionName, () => ReactNode>> = {
  profile: Profile,
  verification: Verification,
  notifications: Notifications,
  fallback: FallbackModel,
  password: Password,
  sessions: Sessions,
  messages: Messages,
  look: Look,
};

/** How long the upper sections are is known when their answers are there. What is below is shown then. */
function useAreLoading(): boolean {
  const verification = useApi('getVerification', {});
  const prices = useApi('listPrices', {});
  const sessions = useApi('listSessions', {});
  return [verification, prices, sessions].some(({ isPending }) => isPending);
}

/** As long as sections may still grow into their place. */
const SETTLING_MS = 3_000;

/** Shows the section of the address, also while those around it load. Whoever moves the page is not moved. */
function useScrollTo(id: string): void {
  useEffect(() => {
    const section = id === '' ? null : document.getElementById(id);
    if (section === null || section.parentElement === null) return;
    const sizes = new ResizeObserver(() => section.scrollIntoView());
    sizes.observe(section.parentElement);
    const over = new AbortController();
    over.signal.addEventListener('abort', () => sizes.disconnect());
    for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
      window.addEventListener(name, () => over.abort(), { passive: true, signal: over.signal });
    }
    const timer = setTimeout(() => over.abort(), SETTLING_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [id]);
}

export function Settings() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const profile = useProfile();
  const areLoading = useAreLoading();
  const { hash } = useLocation();
  const current = SECTIONS.find((name) => name === hash) ?? 'profile';
  useScrollTo(hash);
  const lead = profile && t.lead(String(profile.id), longDay(profile.created_at, Date.now(), language));
  return (
    <Page>
      <PageHead title={t.title} lead={lead} />
      <div className={css.grid}>
        <div>
          {SECTIONS.map((name) => {
            const Content = CONTENTS[name];
            return (
              <section
                key={name}
                id={name}
                className={classes(css.row, name === hash && css.marked, areLoading && css.loading)}
                aria-labelledby={`${name}-title`}
              >
                <div>
                  <h2 id={`${name}-title`}>{t.sections[name].title}</h2>
                  <p>{t.sections[name].note}</p>
                </div>
                <div className={css.body}>
                  <Content />
                </div>
              </section>
            );
          })}
        </div>
        <nav className={css.contents} aria-label={t.onThisPage}>
          {SECTIONS.map((name) => (
            <a key={name} href={`#${name}`} aria-current={name === current ? 'true' : undefined}>
              {t.sections[name].title}
            </a>
          ))}
        </nav>
      </div>
    </Page>
  );
}

function Profile() {
  const t = useTexts({ en, zh });
  const profile = useProfile();
  return (
    <>
      <div className={css.facts}>
        <FactList
          facts={[
            { name: t.email, value: profile?.email ?? '–' },
            { name: t.emailState, value: <EmailState /> },
            { name: t.role, value: profile === undefined ? '–' : t.roles[profile.role] },
            { name: t.plan, value: profile?.plan ?? t.noPlan },
          ]}
        />
      </div>
      <p className={css.hint}>{t.emailFixed}</p>
    </>
  );
}

/** Whether the address is confirmed. Where no mail is sent, nobody asks for it. */
function EmailState() {
  const t = useTexts({ en, zh });
  const settings = useApi('getAlertSettings', {}).data?.data;
  if (settings === undefined) return '–';
  if (settings.email_verified) return t.confirmed;
  if (!settings.can_mail) return t.notAsked;
  return (
    <>
      {t.notConfirmed} <Link to="/notifications">{t.confirmIt}</Link>
    </>
  );
}

function Notifications() {
  const t = useTexts({ en, zh });
  return (
    <>
      <p className={css.hint}>{t.notificationsHint}</p>
      <LinkButton to="/notifications" icon="bell">
        {t.openNotifications}
      </LinkButton>
    </>
  );
}

const THEMES: readonly Theme[] = ['light', 'dark', 'system'];

function Look() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const theme = useTheme();
  return (
    <div className={css.look}>
      <div>
        <span>{t.language}</span>
        <Segmented
          label={t.language}
          value={language}
          onChange={chooseLanguage}
          options={[
            { value: 'en' as const, label: <span lang="en">English</span> },
            { value: 'zh' as const, label: <span lang="zh">中文</span> },
          ]}
        />
      </div>
      <div>
        <span>{t.theme}</span>
        <Segmented
          label={t.theme}
          value={theme}
          onChange={chooseTheme}
          options={THEMES.map((value) => ({ value, label: t.themes[value] }))}
        />
      </div>
    </div>
  );
}
