import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { ConfirmByName } from '../../parts/overlay/dialog.tsx';
import { Menu } from '../../parts/overlay/menu.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Status } from '../../parts/text/status.tsx';
import { Cut, Dim, Hidden, Mono, Warn } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import { useAlertName } from './alert-name.ts';
import { en } from './channel.texts.en.ts';
import { zh } from './channel.texts.zh.ts';
import css from './channels.module.css';
import { type Channel, type Desk, useDeskWrite } from './desk.ts';
import { TestResult } from './test-result.tsx';
import { useChannelTest } from './use-test.ts';

export interface ChannelTableProps {
  readonly desk: Desk;
  /** Undefined while they are read. */
  readonly channels: readonly Channel[] | undefined;
  readonly open: number | 'new' | undefined;
  /** Instead of the table, without channels. */
  readonly empty: ReactNode;
  readonly onDelete: (channel: Channel) => void;
}

/** Where alerts go. A click opens a channel; its test is beside it. */
export function ChannelTable({ desk, channels, open, empty, onDelete }: ChannelTableProps) {
  const t = useTexts({ en, zh });
  const link = (id: number) =>
    ({ to: desk.place, search: (before: object) => ({ ...before, open: id }) }) as never;
  return (
    <Table
      label={t.channels}
      tall
      columns={useColumns(desk, onDelete)}
      rows={channels}
      rowKey={({ id }) => String(id)}
      rowLink={({ id }) => link(id)}
      openKey={open === undefined ? undefined : String(open)}
      isOff={({ status }) => status === 'disabled'}
      skeletonRows={2}
      empty={empty}
    />
  );
}

function useColumns(desk: Desk, onDelete: (channel: Channel) => void): readonly Column<Channel>[] {
  const t = useTexts({ en, zh });
  const nameOf = useAlertName();
  return [
    {
      ...{ key: 'name', header: t.channel, main: true },
      cell: ({ kind, name, address }) => (
        <span className={css.two}>
          <span className={css.name}>{name}</span>
          <small>
            {t.kinds[kind]} <Mono>{address}</Mono>
          </small>
        </span>
      ),
    },
    {
      ...{ key: 'gets', header: t.gets, tone: 'sub', priority: 3, width: '32%' },
      cell: ({ alerts }) =>
        alerts.length === 0 ? <Warn>{t.getsNothing}</Warn> : <Cut>{t.list(alerts.map(nameOf))}</Cut>,
    },
    {
      ...{ key: 'language', header: t.language, tone: 'sub', priority: 3 },
      cell: ({ language }) => <span lang={language}>{t.languages[language]}</span>,
    },
    {
      ...{ key: 'state', header: t.state, priority: 1 },
      cell: ({ status }) => (
        <Status tone={status === 'enabled' ? 'ok' : 'off'}>{status === 'enabled' ? t.on : t.off}</Status>
      ),
    },
    {
      ...{ key: 'actions', header: <Hidden>{t.actions}</Hidden>, align: 'right' },
      cell: (channel) => <Actions desk={desk} channel={channel} onDelete={onDelete} />,
    },
  ];
}

interface ActionsProps extends Pick<ChannelTableProps, 'desk' | 'onDelete'> {
  readonly channel: Channel;
}

function Actions({ desk, channel, onDelete }: ActionsProps) {
  const t = useTexts({ en, zh });
  const { id, name, status } = channel;
  const test = useChannelTest(desk, id);
  const next = status === 'enabled' ? 'disabled' : 'enabled';
  const write = useDeskWrite(desk, () => desk.update(id, { status: next }));
  return (
    <span className={css.actions}>
      <TestResult test={test} className={css.result} />
      {write.isError && <Dim>{t.notSaved}</Dim>}
      <Button
        variant="ghost"
        size="xs"
        pending={test.isPending}
        onClick={test.run}
        aria-label={t.testNamed(name)}
      >
        {t.test}
      </Button>
      <Menu
        align="end"
        trigger={<Button variant="ghost" size="xs" icon="more" aria-label={t.moreFor(name)} />}
        groups={[
          [
            {
              ...{ key: 'edit', label: t.edit, icon: 'gear' },
              link: { to: desk.place, search: ((now: object) => ({ ...now, open: id })) as never },
            },
            {
              ...{ key: 'status', label: t.switchTo[next], icon: status === 'enabled' ? 'stop' : 'check' },
              onSelect: () => write.mutate(undefined),
            },
          ],
          [{ key: 'delete', label: t.delete, icon: 'x', danger: true, onSelect: () => onDelete(channel) }],
        ]}
      />
    </span>
  );
}

export interface DeleteChannelProps {
  readonly desk: Desk;
  /** Undefined: nothing is asked. */
  readonly channel: Channel | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteChannel({ desk, channel, onClose, onDeleted }: DeleteChannelProps) {
  const t = useTexts({ en, zh });
  const write = useDeskWrite(desk, (id: number) => desk.remove(id));
  if (channel === undefined) return null;
  const remove = () =>
    write.mutate(channel.id, {
      onSuccess: () => {
        onClose();
        onDeleted();
      },
    });
  return (
    <ConfirmByName
      open
      onClose={onClose}
      onConfirm={remove}
      title={t.deleteTitle(channel.name)}
      name={channel.name}
      action={t.delete}
      pending={write.isPending}
    >
      {write.isError ? write.error.message : t.deleteText}
    </ConfirmByName>
  );
}
