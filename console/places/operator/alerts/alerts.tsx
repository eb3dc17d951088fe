import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiError, useApi } from '../../../api/api.ts';
import { useSettings } from '../../../app/settings.ts';
import { LinkButton } from '../../../parts/button.tsx';
import { Split } from '../../../parts/overlay/drawer.tsx';
import { Banner } from '../../../parts/page/banner.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Page, PageHead, Section } from '../../../parts/page/layout.tsx';
import { Status } from '../../../parts/text/status.tsx';
import { Mono } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import { en as channelEn } from '../../notifications/channel.texts.en.ts';
import { zh as channelZh } from '../../notifications/channel.texts.zh.ts';
import { ChannelDrawer } from '../../notifications/channel-drawer.tsx';
import { ChannelTable, DeleteChannel } from '../../notifications/channel-table.tsx';
import type { Channel } from '../../notifications/desk.ts';
import { ReadError } from '../shared.tsx';
import { Conditions, useHeld } from './conditions.tsx';
import { OPERATOR_DESK } from './operator-desk.ts';
import { Outbox } from './outbox.tsx';
import { operatorAlertsRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** Alerts about the platform: what is wrong now, who is told, and what became of the messages. */
export function Alerts() {
  const t = useTexts({ en, zh });
  const { add } = useTexts({ en: channelEn, zh: channelZh });
  const { open } = operatorAlertsRoute.useSearch();
  const navigate = operatorAlertsRoute.useNavigate();
  const channels = useApi('listAlertChannelsOfOperators', {});
  const held = useHeld();
  const canMail = useSettings()?.can_mail !== false;
  const [doomed, setDoomed] = useState<Channel>();
  const rows = channels.data?.data;
  const opened = rows?.find(({ id }) => id === open);
  const close = () => void navigate({ search: (now) => ({ ...now, open: undefined }) });
  return (
    <Split
      drawer={
        (open === 'new' || opened !== undefined) && (
          <ChannelDrawer
            key={String(open)}
            desk={OPERATOR_DESK}
            channel={opened}
            noMail={canMail ? undefined : <Banner tone="warn">{t.mailFirst}</Banner>}
            onClose={close}
            onDelete={setDoomed}
          />
        )
      }
    >
      <Page>
        <PageHead title={t.title} lead={held.data && <Summary count={held.data.data.length} />}>
          <LinkButton to="/operator/alerts" search={{ open: 'new' }} variant="primary" icon="plus">
            {add}
          </LinkButton>
        </PageHead>
        {!canMail && <NoMail />}
        <Conditions channels={rows} />
        {/* What is below stands still from the moment that it is there. */}
        {!held.isPending && <Channels query={channels} rows={rows} onDelete={setDoomed} />}
        {!held.isPending && !channels.isPending && <Outbox />}
        <DeleteChannel
          desk={OPERATOR_DESK}
          channel={doomed}
          onClose={() => setDoomed(undefined)}
          onDeleted={close}
        />
      </Page>
    </Split>
  );
}

function Summary({ count }: { readonly count: number }) {
  const t = useTexts({ en, zh });
  return <Status tone={count === 0 ? 'ok' : 'bad'}>{count === 0 ? t.allWell : t.holds(count)}</Status>;
}

/** How to configure it, in one line. */
function NoMail() {
  const t = useTexts({ en, zh });
  return (
    <Banner>
      {t.noMail(
        <span key="settings">
          <Mono>TOLLGATE_SMTP_URL</Mono>, <Mono>TOLLGATE_MAIL_FROM</Mono> {t.and}{' '}
          <Mono>TOLLGATE_PUBLIC_URL</Mono>
        </span>,
      )}
    </Banner>
  );
}

interface ChannelsProps {
  readonly query: UseQueryResult<unknown, ApiError>;
  readonly rows: readonly Channel[] | undefined;
  readonly onDelete: (channel: Channel) => void;
}

function Channels({ query, rows, onDelete }: ChannelsProps) {
  const t = useTexts({ en, zh });
  const channelTexts = useTexts({ en: channelEn, zh: channelZh });
  const { open } = operatorAlertsRoute.useSearch();
  return (
    <Section title={channelTexts.channels}>
      <ReadError query={query} />
      <ChannelTable
        desk={OPERATOR_DESK}
        channels={rows}
        open={open}
        onDelete={onDelete}
        empty={
          <Empty
            title={channelTexts.none}
            action={
              <LinkButton to="/operator/alerts" search={{ open: 'new' }} size="sm">
                {t.addFirst}
              </LinkButton>
            }
          >
            {t.noneHow}
          </Empty>
        }
      />
    </Section>
  );
}
