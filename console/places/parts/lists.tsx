import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { FactList } from '../../parts/figures/facts.tsx';
import { SearchInput } from '../../parts/form/search-input.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { ICONS, type IconName } from '../../parts/icons/paths.ts';
import { CommandPalette } from '../../parts/overlay/command-palette.tsx';
import { ConfirmByName } from '../../parts/overlay/dialog.tsx';
import { Drawer, DrawerSection } from '../../parts/overlay/drawer.tsx';
import { Menu } from '../../parts/overlay/menu.tsx';
import { Popover } from '../../parts/overlay/popover.tsx';
import { useToast } from '../../parts/overlay/toast.tsx';
import { Tooltip } from '../../parts/overlay/tooltip.tsx';
import { AttentionList } from '../../parts/page/attention.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { AddFilter, ChipButton, FilterBar, FilterChip } from '../../parts/page/filter-bar.tsx';
import { Card } from '../../parts/page/layout.tsx';
import { Pager } from '../../parts/page/pager.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { type Column, type Sort, Table } from '../../parts/table/table.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Avatar } from '../../parts/text/avatar.tsx';
import { Pill, Status } from '../../parts/text/status.tsx';
import { Mono, Row, Unit } from '../../parts/text/text.tsx';
import { Part } from './part.tsx';
import styles from './parts.module.css';

interface Call {
  readonly id: string;
  readonly time: string;
  readonly model: string;
  readonly key: string;
  readonly code?: string;
  readonly tokens: string;
  readonly took: string;
  readonly cost: string;
}

const CALLS: readonly Call[] = [
  {
    id: 'a',
    time: '14:32:09',
    model: 'gpt-5',
    key: 'agent-prod',
    tokens: '11,006',
    took: '6.12',
    cost: '¥0.060491',
  },
  {
    id: 'b',
    time: '14:31:07',
    model: 'claude-sonnet-5',
    key: 'laptop',
    tokens: '30,192',
    took: '9.41',
    cost: '¥0.263301',
  },
  {
    id: 'c',
    time: '14:30:44',
    model: 'claude-sonnet-5',
    key: 'claude-code',
    code: '42903',
    tokens: '–',
    took: '0.40',
    cost: '–',
  },
];

const COLUMNS: readonly Column<Call>[] = [
  { key: 'time', header: 'Time', cell: (call) => call.time, tone: 'dim', sortable: true },
  {
    key: 'status',
    header: 'Status',
    cell: (call) => (
      <Status tone={call.code === undefined ? 'ok' : 'bad'}>
        {call.code === undefined ? '200' : '429'}
        {call.code !== undefined && <Pill tone="bad">{call.code}</Pill>}
      </Status>
    ),
  },
  { key: 'model', header: 'Model', cell: (call) => call.model, main: true },
  { key: 'key', header: 'Key', cell: (call) => call.key, tone: 'sub', priority: 2 },
  { key: 'tokens', header: 'Tokens', cell: (call) => call.tokens, align: 'right', priority: 3 },
  {
    key: 'took',
    header: 'Took',
    cell: (call) => (
      <>
        {call.took}
        <Unit>s</Unit>
      </>
    ),
    align: 'right',
    priority: 1,
  },
  { key: 'cost', header: 'Cost', cell: (call) => call.cost, align: 'right', sortable: true },
];

export function Tables() {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['b']));
  const [sort, setSort] = useState<Sort>({ key: 'time', direction: 'down' });
  const add = [
    [
      { key: 'model', label: 'Model' },
      { key: 'key', label: 'Key' },
    ],
  ];
  return (
    <Part title="Filter bar, table, pager" wide>
      <FilterBar right={<Button variant="ghost" size="sm" icon="columns" aria-label="Columns" />}>
        <SearchInput value={search} onChange={setSearch} placeholder="Search, or req_…" />
        <Menu trigger={<ChipButton name="Period" value="24 hours" />} groups={add} />
        <FilterChip name="Status" value="failed" onRemove={() => undefined} />
        <Menu trigger={<AddFilter />} groups={add} />
      </FilterBar>
      <Table
        label="Calls"
        columns={COLUMNS}
        rows={CALLS}
        rowKey={(call) => call.id}
        rowLink={() => ({ to: '/parts' })}
        openKey="b"
        selection={chosen}
        onSelect={setChosen}
        sort={sort}
        onSort={setSort}
        isOff={(call) => call.code !== undefined}
        foot={{ model: 'Sum', cost: '¥0.323792' }}
      />
      <Pager onOlder={() => undefined}>1–50 of 4,312</Pager>
      <Table label="Loading" columns={COLUMNS} rows={undefined} rowKey={(call) => call.id} skeletonRows={2} />
    </Part>
  );
}

const MANY = Array.from({ length: 2_000 }, (_, index) => {
  const call = CALLS[index % CALLS.length] ?? CALLS[0];
  return { ...(call as Call), id: String(index), key: `key-${index}` };
});

export function LongList() {
  return (
    <Part title="Long list: 2,000 rows" wide>
      <VirtualTable label="Many calls" columns={COLUMNS} rows={MANY} rowKey={(call) => call.id} sticky />
    </Part>
  );
}

export function Banners() {
  return (
    <Part title="Banner, error">
      <Banner onDismiss={() => undefined}>gemini-3-pro becomes 8 % cheaper on 1 December.</Banner>
      <Banner tone="info">Version 1.4 is out.</Banner>
      <Banner tone="warn" action={<Button size="xs">Exchange</Button>}>
        Credits last about 4 days.
      </Banner>
      <ErrorNote cause="Usage could not be read." requestId="req_01kagq" onRetry={() => undefined} />
    </Part>
  );
}

const GROUPS = [
  {
    label: 'Places',
    commands: [
      {
        key: 'wallet',
        label: 'Wallet',
        detail: 'balance, Credits, ledger',
        icon: 'wallet',
        onSelect: () => undefined,
      },
    ],
  },
  {
    label: 'Do',
    commands: [
      { key: 'swap', label: 'Exchange balance', detail: 'Wallet', icon: 'swap', onSelect: () => undefined },
    ],
  },
] as const;

export function Floating() {
  const toast = useToast();
  const [open, setOpen] = useState<'dialog' | 'palette' | 'drawer'>();
  const [query, setQuery] = useState('wal');
  const close = () => setOpen(undefined);
  return (
    <Part title="What floats">
      <Row wrap>
        <Button
          onClick={() =>
            toast({
              text: (
                <>
                  Key <b>old-laptop</b> deleted
                </>
              ),
              onUndo: () => undefined,
            })
          }
        >
          Toast
        </Button>
        <Tooltip text="Next call" shortcut="j">
          <Button>Tooltip</Button>
        </Tooltip>
        <Menu
          trigger={<Button icon="more" aria-label="More" />}
          groups={[
            [
              { key: 'open', label: 'Open', icon: 'eye', shortcut: '↵' },
              { key: 'copy', label: 'Copy id', icon: 'copy', shortcut: 'c' },
            ],
            [{ key: 'off', label: 'Disable', icon: 'x', danger: true }],
          ]}
        />
        <Popover trigger={<Button>Popover</Button>} title="Columns">
          <Mono>anything</Mono>
        </Popover>
        <Button onClick={() => setOpen('dialog')}>Dialog</Button>
        <Button onClick={() => setOpen('palette')}>Palette</Button>
        <Button onClick={() => setOpen('drawer')}>Drawer</Button>
      </Row>
      <ConfirmByName
        open={open === 'dialog'}
        onClose={close}
        onConfirm={close}
        title="Delete agent-prod?"
        name="agent-prod"
        action="Delete"
      >
        It was used 4 seconds ago. Calls with it are refused with 40101 at once; 9,210 calls stay in the log.
      </ConfirmByName>
      <CommandPalette
        open={open === 'palette'}
        onClose={close}
        query={query}
        onQuery={setQuery}
        groups={GROUPS}
      />
      {open === 'drawer' && (
        <div className={styles.aside}>
          <Drawer
            label="Call"
            title={<Mono>req_01kagp6b9w5x3v7q2m8n4d6c0t</Mono>}
            onClose={close}
            onNext={() => undefined}
            foot={<Button size="sm">Open in playground</Button>}
          >
            <DrawerSection title="Receipt" note="exact; figures as sent by the vendor">
              <SkeletonLines />
            </DrawerSection>
          </Drawer>
        </div>
      )}
    </Part>
  );
}

export function Lists() {
  return (
    <Part title="Lists, facts, empty, loading">
      <AttentionList
        items={[
          {
            key: '1',
            tone: 'warn',
            icon: 'clock',
            title: 'Key batch-night expires in 2 days',
            text: 'Last used 34 s ago; 4,120 calls this week',
            action: <Button size="xs">Extend</Button>,
          },
          {
            key: '2',
            tone: 'bad',
            icon: 'alert',
            title: 'Your Anthropic key was refused',
            text: '401 since 13:58',
            action: <Button size="xs">Test it</Button>,
          },
        ]}
      />
      <Card>
        <FactList
          facts={[
            { name: 'Policy', value: 'default' },
            { name: 'Expires', value: 'in 3 months' },
          ]}
        />
      </Card>
      <Row>
        <Avatar name="Acme Robotics" /> Acme Robotics
      </Row>
      <Empty
        title="No calls yet"
        action={
          <Button variant="primary" size="sm">
            Make the first call
          </Button>
        }
      >
        Make a key, paste a snippet, and the first call appears here with its receipt.
      </Empty>
      <SkeletonLines />
    </Part>
  );
}

export function Icons() {
  return (
    <Part title="Icons" wide>
      <ul className={styles.icons}>
        {(Object.keys(ICONS) as IconName[]).map((name) => (
          <li key={name}>
            <Icon name={name} />
            {name}
          </li>
        ))}
      </ul>
    </Part>
  );
}
