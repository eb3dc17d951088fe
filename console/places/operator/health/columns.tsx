import { useState } from 'react';
import { callApi, type Data } from '../../../api/api.ts';
import { queries } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import type { Column } from '../../../parts/table/table.tsx';
import { count, duration, money, percent, written } from '../../../parts/text/format.ts';
import { Pill, Status } from '../../../parts/text/status.tsx';
import { Bad, Dim, Good, Mono, Row } from '../../../parts/text/text.tsx';
import { CountDown } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { useVendorNames } from '../use-names.ts';
import { type Credential, HEALTH, type Route } from './data.ts';
import css from './health.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

function readAgain(): void {
  for (const name of HEALTH) void queries.invalidateQueries({ queryKey: [name] });
}

interface CoolingProps {
  readonly ms: number;
  /** When the server said it. */
  readonly readAt: number;
}

/** How long calls avoid it, second by second. */
function Cooling({ ms, readAt }: CoolingProps) {
  const t = useTexts({ en, zh });
  return (
    <Pill tone="warn">
      {t.cooling} <CountDown until={readAt + ms} onEnd={readAgain} />
    </Pill>
  );
}

function CredentialState({ row, readAt }: { readonly row: Credential; readonly readAt: number }) {
  const t = useTexts({ en, zh });
  const { suspect, routes } = row.health;
  const cooling = Math.max(0, ...routes.map(({ cooling_ms }) => cooling_ms));
  const open = routes.filter(({ state }) => state === 'open').length;
  if (row.status === 'disabled') return <Status tone="off">{t.states.disabled}</Status>;
  return (
    <Row>
      <Status tone={suspect ? 'bad' : cooling > 0 || open > 0 ? 'warn' : 'ok'}>
        {suspect ? t.states.suspect : open > 0 ? t.someOpen(open, routes.length) : t.states.closed}
      </Status>
      {cooling > 0 && <Cooling ms={cooling} readAt={readAt} />}
    </Row>
  );
}

function Failed({ failed, of }: { readonly failed: number; readonly of: number }) {
  const ratio = percent(failed / of);
  return failed === 0 ? <Dim>{ratio}</Dim> : <Bad>{ratio}</Bad>;
}

export function useCredentialColumns(readAt: number): readonly Column<Credential>[] {
  const t = useTexts({ en, zh });
  const vendorName = useVendorNames();
  return [
    { key: 'name', header: t.credential, cell: ({ name }) => <Mono>{name}</Mono> },
    { key: 'vendor', header: t.vendor, tone: 'sub', priority: 1, cell: ({ vendor }) => vendorName(vendor) },
    { key: 'state', header: t.state, cell: (row) => <CredentialState row={row} readAt={readAt} /> },
    {
      ...{ key: 'active', header: t.running, align: 'right', priority: 2 },
      cell: ({ health }) => count(health.active),
    },
    {
      ...{
        key: 'refusals',
        header: t.refusals,
        hint: t.refusalsHint,
        align: 'right',
        tone: 'sub',
        priority: 3,
      },
      cell: ({ health }) => count(health.refusals),
    },
    { key: 'calls', header: t.calls, align: 'right', priority: 1, cell: ({ calls }) => count(calls) },
    {
      ...{ key: 'failed', header: t.failed, align: 'right' },
      cell: ({ failed, calls }) => <Failed failed={failed} of={calls} />,
    },
    {
      ...{ key: 'cost', header: t.cost, align: 'right', tone: 'sub', priority: 3 },
      cell: ({ cost }) => money(cost),
    },
  ];
}

function RouteState({ row, readAt }: { readonly row: Route; readonly readAt: number }) {
  const t = useTexts({ en, zh });
  if (row.status === 'disabled') return <Status tone="off">{t.states.disabled}</Status>;
  const state = row.state ?? 'closed';
  const word = t.states[state as keyof typeof t.states] ?? state;
  return (
    <Row>
      <Status tone={state === 'closed' ? 'ok' : state === 'open' ? 'bad' : 'warn'}>{word}</Status>
      {row.cooling_ms > 0 && <Cooling ms={row.cooling_ms} readAt={readAt} />}
    </Row>
  );
}

export function useRouteColumns(readAt: number): readonly Column<Route>[] {
  const t = useTexts({ en, zh });
  const vendorName = useVendorNames();
  return [
    { key: 'model', header: t.model, cell: ({ model_id }) => <Mono>{model_id}</Mono> },
    { key: 'vendor', header: t.vendor, tone: 'sub', priority: 2, cell: ({ vendor }) => vendorName(vendor) },
    {
      ...{ key: 'credential', header: t.credential, tone: 'sub', priority: 3 },
      cell: ({ credential }) => <Mono>{credential}</Mono>,
    },
    {
      ...{
        key: 'order',
        header: t.priorityAndWeight,
        hint: t.orderHint,
        align: 'right',
        tone: 'sub',
        priority: 3,
      },
      cell: ({ priority, weight }) => t.order(priority, weight),
    },
    { key: 'state', header: t.state, cell: (row) => <RouteState row={row} readAt={readAt} /> },
    {
      ...{ key: 'attempts', header: t.attempts, align: 'right', priority: 1 },
      cell: ({ attempts }) => count(attempts),
    },
    {
      ...{ key: 'failed', header: t.failed, align: 'right', priority: 1 },
      cell: ({ failures, attempts }) => <Failed failed={failures} of={attempts} />,
    },
    {
      ...{ key: 'share', header: t.share, align: 'right', priority: 2 },
      cell: ({ share }) => percent(share),
    },
    {
      ...{ key: 'wait', header: t.firstToken, hint: t.medianHint, align: 'right', tone: 'sub', priority: 3 },
      cell: ({ ttft_p50_ms: median }) => written(duration(median)),
    },
    {
      ...{ key: 'slow', header: t.slow, hint: t.slowHint, align: 'right', tone: 'sub', priority: 4 },
      cell: ({ ttft_p95_ms: slow }) => written(duration(slow)),
    },
    { key: 'test', header: '', align: 'right', cell: (row) => <Test row={row} /> },
  ];
}

/** One small call of the route, now. What came of it stands beside the button. */
function Test({ row }: { readonly row: Route }) {
  const t = useTexts({ en, zh });
  const [state, setState] = useState<'idle' | 'runs' | 'unread' | Data<'testRoute'>>('idle');
  const test = () => {
    setState('runs');
    callApi('testRoute', { params: { id: row.route_id } }).then(
      ({ data }) => {
        setState(data);
        readAgain();
      },
      () => setState('unread'),
    );
  };
  return (
    <Row className={css.test}>
      <span role="status">
        {state === 'unread' && <Bad>{t.notTested}</Bad>}
        {typeof state === 'object' &&
          (state.ok ? (
            <Good>{t.answeredIn(written(duration(state.duration_ms)))}</Good>
          ) : (
            <Bad title={state.message ?? ''}>{t.refused(state.status)}</Bad>
          ))}
      </span>
      <Button
        size="xs"
        pending={state === 'runs'}
        aria-label={t.testRoute(row.model_id, row.credential)}
        onClick={test}
      >
        {t.test}
      </Button>
    </Row>
  );
}
