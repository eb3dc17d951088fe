import { useState } from 'react';
import { type Data, useApi, useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Affix, Input } from '../../../parts/form/input.tsx';
import { ConfirmByName } from '../../../parts/overlay/dialog.tsx';
import { Menu } from '../../../parts/overlay/menu.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count } from '../../../parts/text/format.ts';
import { Status } from '../../../parts/text/status.tsx';
import { Mono, Row } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { ConfirmFree, needsFreeYes } from '../confirm-free.tsx';
import { useLiveRefresh } from '../live-refresh.ts';
import { Ask, ReadError, WriteError } from '../shared.tsx';
import css from './nodes.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Node = Data<'getOverviewByNode'>['nodes'][number];
type Open = { readonly form: Node | 'new' } | { readonly deleted: string } | undefined;

const LIVE = ['getOverviewByNode'] as const;
const CHANGED = ['getOverviewByNode', 'listNodes', 'listGatewayNodes', 'listAuditEntries'] as const;

/** The nodes of the gateway: where they answer, what they run, what they charge. */
export function Nodes() {
  const t = useTexts({ en, zh });
  useLiveRefresh('health', LIVE);
  const nodes = useApi('getOverviewByNode', {}, { refetchInterval: 10_000 });
  const rows = nodes.data?.data.nodes;
  const [open, setOpen] = useState<Open>();
  const running = rows?.reduce((sum, node) => sum + node.active_calls, 0);
  const close = () => setOpen(undefined);
  return (
    <Page>
      <PageHead
        title={t.title}
        lead={running !== undefined && <Status tone="live">{t.running(count(running), running)}</Status>}
      >
        <Button variant="primary" icon="plus" onClick={() => setOpen({ form: 'new' })}>
          {t.add}
        </Button>
      </PageHead>
      <ReadError query={nodes} />
      <Table
        label={t.title}
        columns={useColumns(setOpen)}
        rows={rows}
        rowKey={({ name }) => name}
        skeletonRows={2}
        empty={<Empty title={t.empty.title}>{t.empty.text}</Empty>}
      />
      {open !== undefined && 'form' in open && <NodeForm node={open.form} onClose={close} />}
      {open !== undefined && 'deleted' in open && <DeleteNode name={open.deleted} onClose={close} />}
    </Page>
  );
}

function useColumns(onOpen: (open: Open) => void): readonly Column<Node>[] {
  const t = useTexts({ en, zh });
  return [
    { key: 'name', header: t.name, cell: ({ name }) => <Mono>{name}</Mono> },
    {
      key: 'state',
      header: t.state,
      cell: ({ alive }) => <Status tone={alive ? 'ok' : 'bad'}>{alive ? t.serves : t.down}</Status>,
    },
    { key: 'region', header: t.region, tone: 'sub', priority: 2, cell: ({ region }) => region || '–' },
    {
      key: 'address',
      header: t.address,
      tone: 'sub',
      priority: 3,
      cell: ({ base_url }) => (base_url === '' ? '–' : <Mono>{base_url}</Mono>),
    },
    { key: 'rate', header: t.rate, align: 'right', priority: 1, cell: ({ rate }) => t.percent(rate) },
    {
      key: 'processes',
      header: t.processes,
      align: 'right',
      priority: 2,
      cell: ({ processes }) => count(processes),
    },
    {
      key: 'active',
      header: t.runningCalls,
      align: 'right',
      cell: ({ active_calls }) => count(active_calls),
    },
    {
      key: 'seen',
      header: t.seen,
      align: 'right',
      tone: 'dim',
      priority: 1,
      cell: ({ last_seen_at }) => (last_seen_at === null ? '–' : <Time at={last_seen_at} />),
    },
    {
      key: 'actions',
      header: '',
      align: 'right',
      priority: 1,
      cell: (node) => (
        <Row className={css.actions}>
          <Button size="xs" aria-label={t.editNode(node.name)} onClick={() => onOpen({ form: node })}>
            {t.edit}
          </Button>
          <Menu
            align="end"
            trigger={<Button variant="ghost" size="xs" icon="more" aria-label={t.moreOf(node.name)} />}
            groups={[
              [
                {
                  key: 'delete',
                  label: t.delete,
                  icon: 'x',
                  danger: true,
                  onSelect: () => onOpen({ deleted: node.name }),
                },
              ],
            ]}
          />
        </Row>
      ),
    },
  ];
}

function NodeForm({ node, onClose }: { readonly node: Node | 'new'; readonly onClose: () => void }) {
  const t = useTexts({ en, zh });
  const known = node === 'new' ? { name: '', base_url: '', region: '', rate: '100' } : node;
  const [name, setName] = useState(known.name);
  const [address, setAddress] = useState(known.base_url);
  const [region, setRegion] = useState(known.region);
  const [rate, setRate] = useState(known.rate);
  const create = useApiWrite('createNode', CHANGED);
  const update = useApiWrite('updateNode', CHANGED);
  const write = node === 'new' ? create : update;
  const submit = (confirmed: { readonly confirm_free?: true } = {}) => {
    const body = {
      base_url: address.trim(),
      rate: rate.trim(),
      ...confirmed,
      ...(region.trim() !== '' && { region: region.trim() }),
    };
    if (node === 'new') create.mutate({ body: { name: name.trim(), ...body } }, { onSuccess: onClose });
    else update.mutate({ params: { name: node.name }, body }, { onSuccess: onClose });
  };
  if (needsFreeYes(write.error)) {
    return (
      <ConfirmFree
        {...{ name: known.name, lines: [write.error?.message ?? ''], pending: write.isPending }}
        onConfirm={() => submit({ confirm_free: true })}
        onClose={() => write.reset()}
      />
    );
  }
  return (
    <Ask
      title={node === 'new' ? t.add : t.editNode(node.name)}
      action={node === 'new' ? t.create : t.save}
      isReady={name.trim() !== '' && address.trim() !== ''}
      {...{ onClose, onSubmit: () => submit(), pending: write.isPending, error: write.error }}
    >
      {node === 'new' && (
        <Field label={t.name} help={t.nameHelp}>
          <Input mono value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
      )}
      <Field label={t.address}>
        <Input
          mono
          placeholder="https://…"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </Field>
      <Field label={t.region}>
        <Input value={region} onChange={(event) => setRegion(event.target.value)} />
      </Field>
      <Field label={t.rate} help={t.rateHelp}>
        <Affix
          suffix="%"
          inputMode="decimal"
          value={rate}
          onChange={(event) => setRate(event.target.value)}
        />
      </Field>
    </Ask>
  );
}

function DeleteNode({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('deleteNode', CHANGED);
  return (
    <ConfirmByName
      open
      onClose={onClose}
      onConfirm={() => write.mutate({ params: { name } }, { onSuccess: onClose })}
      title={t.deleteNode(name)}
      name={name}
      action={t.delete}
      pending={write.isPending}
    >
      {t.deleteText}
      <WriteError error={write.error} />
    </ConfirmByName>
  );
}
