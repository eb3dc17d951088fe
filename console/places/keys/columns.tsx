import { Button } from '../../parts/button.tsx';
import { Sparkline } from '../../parts/figures/stat.tsx';
import { Menu } from '../../parts/overlay/menu.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { count, money, NOTHING } from '../../parts/text/format.ts';
import { Dot, Pill, Tag } from '../../parts/text/status.tsx';
import { Dim, Warn } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { toDate } from '../../parts/text/times.ts';
import type { Key, KeyUse, Policy } from './data.ts';
import css from './keys.module.css';
import type { en } from './texts.en.ts';

export interface KeyActions {
  readonly toggle: (key: Key) => void;
  readonly remove: (key: Key) => void;
}

interface Given {
  readonly t: typeof en;
  readonly uses: ReadonlyMap<number, KeyUse> | undefined;
  readonly policies: readonly Policy[] | undefined;
  readonly days: string;
  readonly actions: KeyActions;
}

const SOON_MS = 7 * 86_400_000;

export function stateOf({ status, expires_at: expires }: Key): 'enabled' | 'disabled' | 'expired' {
  if (status === 'disabled') return 'disabled';
  return expires !== null && toDate(expires).getTime() <= Date.now() ? 'expired' : 'enabled';
}

export function keyColumns({ t, uses, policies, days, actions }: Given): readonly Column<Key>[] {
  const use = ({ id }: Key): KeyUse | undefined => uses?.get(id);
  return [
    { key: 'name', header: t.columns.name, main: true, cell: (key) => <Name t={t} of={key} /> },
    {
      ...{ key: 'policy', header: t.columns.policy, priority: 2 },
      cell: ({ policy_id: id }) =>
        id === null ? (
          <Dim>{t.accountPolicy}</Dim>
        ) : (
          <Tag mono>{policies?.find((each) => each.id === id)?.name ?? `#${id}`}</Tag>
        ),
    },
    {
      ...{ key: 'trend', header: t.days(days as '30'), priority: 3 },
      cell: (key) => (
        <span className={css.trend}>
          <Sparkline values={use(key)?.days ?? []} />
        </span>
      ),
    },
    {
      ...{ key: 'calls', header: t.columns.calls, align: 'right', priority: 1 },
      cell: (key) => count(use(key)?.calls),
    },
    {
      ...{
        key: 'spend',
        header: <span title={t.columns.spendTitle}>{t.columns.spend}</span>,
        align: 'right',
      },
      cell: (key) => money(use(key)?.amount),
    },
    {
      ...{ key: 'used', header: t.columns.used, priority: 1, tone: 'sub' },
      cell: ({ last_used_at: at }) => (at === null ? <Dim>{t.notYet}</Dim> : <Time at={at} />),
    },
    {
      ...{ key: 'expires', header: t.columns.expires, priority: 2, tone: 'sub' },
      cell: ({ expires_at: at }) => <Expiry at={at} />,
    },
    {
      ...{ key: 'actions', header: <span className={css.hidden}>{t.columns.actions}</span>, align: 'right' },
      cell: (key) => <Actions t={t} of={key} actions={actions} />,
    },
  ];
}

function Name({ t, of }: { readonly t: typeof en; readonly of: Key }) {
  const state = stateOf(of);
  return (
    <span className={css.name}>
      <span>
        <Dot tone={state === 'enabled' ? 'ok' : 'off'} />
        <b>{of.name}</b>
        {state !== 'enabled' && <Pill>{t.states[state]}</Pill>}
      </span>
      <small>{of.prefix}…</small>
    </span>
  );
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return NOTHING;
  const left = toDate(at).getTime() - Date.now();
  return left < SOON_MS ? (
    <Warn>
      <Time at={at} />
    </Warn>
  ) : (
    <Time at={at} />
  );
}

function Actions({
  t,
  of,
  actions,
}: {
  readonly t: typeof en;
  readonly of: Key;
  readonly actions: KeyActions;
}) {
  const isEnabled = of.status === 'enabled';
  return (
    <Menu
      align="end"
      trigger={<Button variant="ghost" size="xs" icon="more" aria-label={t.more(of.name)} />}
      groups={[
        [
          {
            ...{ key: 'edit', label: t.edit, icon: 'gear' },
            link: { to: '/keys', search: { open: of.id } } as never,
          },
          {
            key: 'calls',
            label: t.itsCalls,
            icon: 'list',
            link: { to: '/calls', search: { key_id: of.id } } as never,
          },
          {
            ...{ key: 'toggle', label: isEnabled ? t.disable : t.enable, icon: isEnabled ? 'lock' : 'check' },
            onSelect: () => actions.toggle(of),
          },
        ],
        [{ key: 'delete', label: t.delete, icon: 'x', danger: true, onSelect: () => actions.remove(of) }],
      ]}
    />
  );
}
