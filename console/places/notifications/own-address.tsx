import { useState } from 'react';
import { type Data, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { countDown } from '../../parts/text/format.ts';
import { useNow } from '../../parts/text/now.ts';
import { Status } from '../../parts/text/status.tsx';
import { Dim } from '../../parts/text/text.tsx';
import { useLanguage, useTexts } from '../../texts/language.ts';
import css from './notifications.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Settings = Data<'getAlertSettings'>;

/** The address of the account: whether it is confirmed, and the link that confirms it. */
export function OwnAddress({ settings }: { readonly settings: Settings | undefined }) {
  const t = useTexts({ en, zh });
  return (
    <Section title={t.address}>
      <div className={css.address}>
        {settings === undefined ? (
          <Skeleton width="220px" />
        ) : (
          <>
            <b>{settings.email}</b>
            {settings.email_verified ? (
              <Status tone="ok">{t.confirmed}</Status>
            ) : settings.can_mail ? (
              <>
                <Status tone="warn">{t.notConfirmed}</Status>
                <div className={css.acts}>
                  <SendLink />
                </div>
              </>
            ) : (
              <Dim>{t.noMailHere}</Dim>
            )}
          </>
        )}
      </div>
    </Section>
  );
}

const NOT_NAMED_MS = 60_000;

/** Mails the link that confirms the address. Who asks too often waits, and sees how long. */
export function SendLink() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const [opensAt, setOpensAt] = useState(0);
  const left = opensAt - useNow();
  const write = useApiWrite('askToConfirmAddress', ['getAlertSettings', 'listAlertDeliveries']);
  const ask = () =>
    write.mutate(
      { body: { language } },
      {
        onError: ({ status, retryAfterMs }) => {
          if (status === 429) setOpensAt(Date.now() + (retryAfterMs ?? NOT_NAMED_MS));
        },
      },
    );
  const isOther = write.isError && write.error.status !== 429;
  return (
    <>
      {write.isSuccess && <span role="status">{t.linkSent}</span>}
      {isOther && <ErrorNote cause={write.error.message} requestId={write.error.requestId} />}
      <Button size="sm" icon="mail" pending={write.isPending} disabled={left > 0} onClick={ask}>
        {left > 0 ? t.wait(countDown(left)) : write.isSuccess ? t.sendAgain : t.sendLink}
      </Button>
    </>
  );
}

/** Why a channel cannot be an e-mail address yet. Undefined: it can. */
export function whyNoMail(settings: Settings | undefined) {
  if (settings === undefined || (settings.can_mail && settings.email_verified)) return undefined;
  return <NoMail canMail={settings.can_mail} />;
}

function NoMail({ canMail }: { readonly canMail: boolean }) {
  const t = useTexts({ en, zh });
  return <Banner tone="warn">{canMail ? t.confirmFirst : t.noMailHere}</Banner>;
}
