import { Link } from '@tanstack/react-router';
import { type Row, useApi } from '../../../api/api.ts';
import { Section } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { Dot, Status } from '../../../parts/text/status.tsx';
import { Dim, Warn } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { useAlertMeaning, useAlertName } from '../../notifications/alert-name.ts';
import type { Channel } from '../../notifications/desk.ts';
import { ReadError } from '../shared.tsx';
import css from './alerts.module.css';
import { OPERATOR_DESK } from './operator-desk.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Held = Row<'listConditionsOfPlatform'>;

interface Condition {
  readonly kind: string;
  readonly held: readonly Held[];
  /** Open channels that ask for it; undefined while they are read. */
  readonly channels: number | undefined;
}

const LOOK_MS = 15_000;
const SHOWN_MAX = 5;

/** Where an operator looks further. */
const PLACES: Readonly<Record<string, '/operator/health' | '/operator/nodes' | '/operator'>> = {
  'route-down': '/operator/health',
  'credential-refused': '/operator/health',
  'settling-lags': '/operator/nodes',
  'disk-nearly-full': '/operator/nodes',
  'doctor-finding': '/operator',
};

export function useHeld() {
  return useApi('listConditionsOfPlatform', {}, { refetchInterval: LOOK_MS });
}

/** What operators are told of: when it holds, whether it does now, and who is told. */
export function Conditions({ channels }: { readonly channels: readonly Channel[] | undefined }) {
  const t = useTexts({ en, zh });
  const query = useHeld();
  const held = query.data?.data;
  const open = channels?.filter(({ status }) => status === 'enabled');
  const rows =
    held &&
    kindsOf(held).map((kind) => ({
      kind,
      held: held.filter((each) => each.kind === kind),
      channels: open?.filter(({ alerts }) => alerts.includes(kind)).length,
    }));
  return (
    <Section title={t.conditions} note={t.conditionsNote}>
      <ReadError query={query} />
      <Table
        label={t.conditions}
        tall
        columns={useColumns()}
        rows={rows}
        rowKey={({ kind }) => kind}
        skeletonRows={OPERATOR_DESK.alerts.length}
      />
    </Section>
  );
}

/** Also those of a newer server. */
function kindsOf(held: readonly Held[]): readonly string[] {
  return [...new Set([...OPERATOR_DESK.alerts, ...held.map(({ kind }) => kind)])];
}

function useColumns(): readonly Column<Condition>[] {
  const t = useTexts({ en, zh });
  const nameOf = useAlertName();
  const meaningOf = useAlertMeaning();
  return [
    {
      ...{ key: 'what', header: t.condition, width: '44%' },
      cell: ({ kind }) => (
        <span className={css.what}>
          {nameOf(kind)}
          <small>{meaningOf(kind)}</small>
        </span>
      ),
    },
    {
      ...{ key: 'told', header: t.told, priority: 2 },
      cell: ({ channels }) =>
        channels === 0 ? (
          <Warn>{t.nobody}</Warn>
        ) : (
          <Dim>{channels === undefined ? '–' : t.channelsTold(channels)}</Dim>
        ),
    },
    { key: 'now', header: t.now, width: '38%', cell: (row) => <Now condition={row} /> },
  ];
}

function Now({ condition: { held } }: { readonly condition: Condition }) {
  const t = useTexts({ en, zh });
  if (held.length === 0) return <Status tone="ok">{t.fine}</Status>;
  return (
    <ul className={css.held}>
      {held.slice(0, SHOWN_MAX).map((each) => (
        <li key={each.key}>
          <Dot tone="bad" />
          <span>
            <Sentence held={each} />
            <small>
              {t.since} <Time at={each.since} /> <LookAtIt kind={each.kind} />
            </small>
          </span>
        </li>
      ))}
      {held.length > SHOWN_MAX && (
        <li>
          <Dot tone="bad" />
          {t.more(held.length - SHOWN_MAX)}
        </li>
      )}
    </ul>
  );
}

/** What happens, in words. A kind that is not known here is told by its key. */
function Sentence({ held: { kind, key, details } }: { readonly held: Held }) {
  const { happens } = useTexts({ en, zh });
  const texts = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)]));
  const said = Object.hasOwn(happens, kind) ? happens[kind as keyof typeof happens](texts) : key;
  return said;
}

function LookAtIt({ kind }: { readonly kind: string }) {
  const t = useTexts({ en, zh });
  const place = PLACES[kind];
  return place === undefined ? null : <Link to={place}>{t.look}</Link>;
}
