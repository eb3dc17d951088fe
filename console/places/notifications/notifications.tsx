import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Split } from '../../parts/overlay/drawer.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Page, PageHead, Section } from '../../parts/page/layout.tsx';
import { Pager } from '../../parts/page/pager.tsx';
import { count } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { en as channelEn } from './channel.texts.en.ts';
import { zh as channelZh } from './channel.texts.zh.ts';
import { ChannelDrawer } from './channel-drawer.tsx';
import { ChannelTable, DeleteChannel } from './channel-table.tsx';
import { ConditionsForm } from './conditions-form.tsx';
import { Deliveries } from './deliveries.tsx';
import { type Channel, OWN_DESK } from './desk.ts';
import { OwnAddress, whyNoMail } from './own-address.tsx';
import type { NotificationsSearch } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const CONFIRM_LOOK_MS = 5_000;

/** The link of the mail may be opened elsewhere: until then it is looked whether it was. */
function useOwnSettings() {
  return useApi(
    'getAlertSettings',
    {},
    {
      refetchInterval: ({ state }) => {
        const known = state.data?.data;
        return known?.can_mail === true && !known.email_verified ? CONFIRM_LOOK_MS : false;
      },
    },
  );
}

/** Alerts of the account: where they go, when they come, and what became of them. */
export function Notifications() {
  const t = useTexts({ en, zh });
  const { add } = useTexts({ en: channelEn, zh: channelZh });
  const navigate = useNavigate({ from: '/notifications' });
  const search = useSearch({ from: '/user/notifications' });
  const settings = useOwnSettings();
  const channels = useApi('listAlertChannels', {});
  const [doomed, setDoomed] = useState<Channel>();
  const known = settings.data?.data;
  const rows = channels.data?.data;
  const open = rows?.find(({ id }) => id === search.open);
  const go = (change: Partial<NotificationsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...change }) });
  const close = () => go({ open: undefined });
  const isOpen = search.open === 'new' || open !== undefined;
  return (
    <Split
      drawer={
        isOpen && (
          <ChannelDrawer
            key={String(search.open)}
            desk={OWN_DESK}
            channel={open}
            ownAddress={known?.email}
            noMail={whyNoMail(known)}
            onClose={close}
            onDelete={setDoomed}
          />
        )
      }
    >
      <Page>
        <PageHead title={t.title} lead={t.lead}>
          <LinkButton to="/notifications" search={{ open: 'new' }} variant="primary" icon="plus">
            {add}
          </LinkButton>
        </PageHead>
        {settings.isError && known === undefined && (
          <ErrorNote
            cause={t.unread}
            requestId={settings.error.requestId}
            onRetry={() => void settings.refetch()}
            retrying={settings.isFetching}
          />
        )}
        <OwnAddress settings={known} />
        <Channels query={channels} rows={rows} open={search.open} onDelete={setDoomed} />
        {/* What is below stands still from the moment that it is there. */}
        {!channels.isPending && known !== undefined && (
          <>
            <ConditionsForm settings={known} />
            <Sent search={search} go={go} />
          </>
        )}
        <DeleteChannel
          desk={OWN_DESK}
          channel={doomed}
          onClose={() => setDoomed(undefined)}
          onDeleted={close}
        />
      </Page>
    </Split>
  );
}

interface ChannelsProps {
  readonly query: { readonly isError: boolean; readonly isFetching: boolean; refetch(): unknown };
  readonly rows: readonly Channel[] | undefined;
  readonly open: NotificationsSearch['open'];
  readonly onDelete: (channel: Channel) => void;
}

function Channels({ query, rows, open, onDelete }: ChannelsProps) {
  const t = useTexts({ en, zh });
  const channelTexts = useTexts({ en: channelEn, zh: channelZh });
  if (query.isError && rows === undefined) {
    return (
      <ErrorNote
        cause={channelTexts.unread}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    );
  }
  return (
    <Section title={channelTexts.channels}>
      <ChannelTable
        desk={OWN_DESK}
        channels={rows}
        open={open}
        onDelete={onDelete}
        empty={
          <Empty
            title={channelTexts.none}
            action={
              <LinkButton to="/notifications" search={{ open: 'new' }} size="sm">
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

const SIZE = 20;
/** No event tells that a message was sent. */
const LOOK_MS = 10_000;

interface SentProps {
  readonly search: NotificationsSearch;
  readonly go: (change: Partial<NotificationsSearch>) => void;
}

function Sent({ search: { status, page = 1 }, go }: SentProps) {
  const t = useTexts({ en, zh });
  const { deliveriesUnread } = useTexts({ en: channelEn, zh: channelZh });
  const list = useApi(
    'listAlertDeliveries',
    { query: { page, size: SIZE, ...(status !== undefined && { status }) } },
    { refetchInterval: LOOK_MS },
  );
  const rows = list.data?.data;
  const total = list.data?.total ?? 0;
  const last = Math.min(total, page * SIZE);
  return (
    <Section
      title={t.sent}
      note={t.sentNote}
      right={
        <Segmented
          label={t.which}
          size="sm"
          value={status ?? 'all'}
          onChange={(next) => go({ status: next === 'all' ? undefined : next, page: undefined })}
          options={(['all', 'dead'] as const).map((value) => ({ value, label: t[value] }))}
        />
      }
    >
      {list.isError && rows === undefined ? (
        <ErrorNote
          cause={deliveriesUnread}
          requestId={list.error.requestId}
          onRetry={() => void list.refetch()}
          retrying={list.isFetching}
        />
      ) : (
        <Deliveries
          label={t.sent}
          rows={rows}
          empty={
            <Empty plain title={status === undefined ? t.noneSent : t.noneDead}>
              {status === undefined ? t.noneSentHow : undefined}
            </Empty>
          }
        />
      )}
      {total > SIZE && (
        <Pager
          onNewer={page > 1 ? () => go({ page: page - 1 }) : undefined}
          onOlder={last < total ? () => go({ page: page + 1 }) : undefined}
        >
          {t.shown(count((page - 1) * SIZE + 1), count(last), count(total))}
        </Pager>
      )}
    </Section>
  );
}
