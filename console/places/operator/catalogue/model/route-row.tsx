import { type Data, useApi, useApiWrite } from '../../../../api/api.ts';
import { Button } from '../../../../parts/button.tsx';
import { classes } from '../../../../parts/classes.ts';
import { BarCell } from '../../../../parts/figures/shares.tsx';
import { Icon } from '../../../../parts/icons/icon.tsx';
import { Menu } from '../../../../parts/overlay/menu.tsx';
import { duration, NOTHING, percent, written } from '../../../../parts/text/format.ts';
import { Status, VendorMark } from '../../../../parts/text/status.tsx';
import { Dim, Mono } from '../../../../parts/text/text.tsx';
import { CountDown } from '../../../../parts/text/time.tsx';
import css from '../catalogue.module.css';
import { type Entry, findEntry, isSame, toWhole, withField } from '../changes/document.ts';
import { type FormProps, TypedInput } from '../entries/fields.tsx';
import { isEnabled, routesOf } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';
import { routeKey } from './priorities.ts';

export type RouteState = Data<'getOverviewByRoute'>['routes'][number];

export interface RouteRowProps {
  readonly form: FormProps;
  readonly route: Entry;
  readonly modelId: string;
  readonly state: RouteState | undefined;
  readonly onDrag: (route: Entry | undefined) => void;
  readonly onStep: (step: -1 | 1) => void;
  /** Null removes it. */
  readonly onChange: (route: Entry | null) => void;
}

/** Tests the route that is in force, or the credential of a route that is not applied yet. */
function useRouteTest({ route, modelId, state }: RouteRowProps) {
  const stored = useApiWrite('testRoute', []);
  const fresh = useApiWrite('testPlatformCredential', []);
  const credentials = useApi('listCredentials', { query: { size: 100 } }).data?.data;
  const id = credentials?.find(({ name }) => name === route.credential)?.id;
  const used = state === undefined ? fresh : stored;
  const run = () => {
    const model = String(route.forward_model_id ?? modelId);
    if (state !== undefined) stored.mutate({ params: { id: state.route_id } });
    else if (id !== undefined) fresh.mutate({ params: { id }, body: { model } });
  };
  return { run, isPending: used.isPending, result: used.data?.data, error: used.error, canRun: state ?? id };
}

export function RouteRow(props: RouteRowProps) {
  const { form, route, modelId, state, onChange } = props;
  const t = useCatalogueTexts();
  const test = useRouteTest(props);
  const name = String(route.credential);
  const key = routeKey(route, modelId);
  const before = routesOf(form.before ?? {}).find((each) => routeKey(each, modelId) === key);
  const credential = findEntry(form.page.catalogue.document, 'credentials', name);
  const isChanged = form.before !== undefined && !isSame(before, route);
  const multiplier = route.rate_multiplier === undefined ? '' : ` × ${route.rate_multiplier}`;
  return (
    <tr className={classes(isChanged && css.changedRow, !isEnabled(route) && css.offRow)}>
      <td>
        <RouteName {...props} />
      </td>
      <td>
        <TypedInput
          {...{ form: 'whole', label: t.route.weightOf(name), className: css.weight }}
          value={route.weight ?? 1}
          changed={isChanged && before?.weight !== route.weight}
          onType={(typed) => onChange(withField(route, 'weight', toWhole(typed), 1))}
        />
      </td>
      <td className={css.wide}>
        <span className={css.share}>
          <BarCell ratio={state?.share ?? 0} /> {percent(state?.share)}
        </span>
      </td>
      <td className={css.numeric}>
        {t.percent(String(credential?.rate ?? 100))}
        {multiplier}
      </td>
      <td className={css.wide}>
        <RouteHealth {...{ state, test }} isOn={isEnabled(route)} />
      </td>
      <td className={css.acts}>
        <Button
          {...{ variant: 'ghost', size: 'xs', icon: 'bolt', title: t.testNow, pending: test.isPending }}
          aria-label={t.route.test(name)}
          disabled={test.canRun === undefined}
          onClick={test.run}
        />
        <RouteMenu {...props} />
      </td>
    </tr>
  );
}

/** Arrow keys on the grip move the route by one step. */
const STEPS: Readonly<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowDown: 1 };

function RouteName({ route, modelId, onDrag, onStep }: RouteRowProps) {
  const t = useCatalogueTexts();
  const name = String(route.credential);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside it moves the route by keyboard
    <div
      className={css.routeName}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        // The page changes its shape after the browser has taken the picture of the row.
        setTimeout(() => onDrag(route));
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <button
        type="button"
        className={css.grip}
        data-grip={routeKey(route, modelId)}
        aria-label={t.route.move(name)}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          if (step === undefined) return;
          event.preventDefault();
          onStep(step);
        }}
      >
        <Icon name="drag" />
      </button>
      <VendorMark name={String(route.vendor)} />
      <span>
        <b>{name}</b>
        <small>
          <Mono>{String(route.forward_model_id ?? modelId)}</Mono>
        </small>
      </span>
    </div>
  );
}

function RouteMenu({ form, route, modelId, onStep, onChange }: RouteRowProps) {
  const t = useCatalogueTexts();
  const next = isEnabled(route) ? 'disabled' : 'enabled';
  const open = () =>
    form.page.onSearch({ edit: routeKey(route, modelId), add: undefined, changes: undefined });
  return (
    <Menu
      align="end"
      trigger={
        <Button variant="ghost" size="xs" icon="more" aria-label={t.route.more(String(route.credential))} />
      }
      groups={[
        [
          { key: 'edit', label: t.route.edit, icon: 'gear', onSelect: open },
          { key: 'up', label: t.route.up, icon: 'up', onSelect: () => onStep(-1) },
          { key: 'down', label: t.route.down, icon: 'down', onSelect: () => onStep(1) },
        ],
        [
          {
            ...{ key: 'status', icon: isEnabled(route) ? 'stop' : 'start' },
            label: isEnabled(route) ? t.route.disable : t.route.enable,
            onSelect: () => onChange(withField(route, 'status', next, 'enabled')),
          },
          { key: 'remove', label: t.route.remove, icon: 'x', danger: true, onSelect: () => onChange(null) },
        ],
      ]}
    />
  );
}

interface RouteHealthProps {
  readonly state: RouteState | undefined;
  readonly isOn: boolean;
  readonly test: ReturnType<typeof useRouteTest>;
}

function RouteHealth({ state, isOn, test: { result, error } }: RouteHealthProps) {
  const t = useCatalogueTexts();
  if (error !== null) return <Told tone="bad" word={t.tried.failed} detail={error.message} />;
  if (result !== undefined) {
    const took = written(duration(result.duration_ms));
    return result.ok ? (
      <Told tone="ok" word={t.tried.tested} detail={t.tried.answered(took)} />
    ) : (
      <Told tone="bad" word={t.tried.failed} detail={t.tried.fails(result.status, result.message ?? '')} />
    );
  }
  if (!isOn) return <Status tone="off">{t.disabled}</Status>;
  if (state === undefined) return <Told tone="off" word={t.health.fresh} detail={t.health.notApplied} />;
  if (state.cooling_ms > 0) {
    return (
      <span className={css.health}>
        <Status tone="warn">{t.health.cooling}</Status>
        <small>
          {t.health.back} <CountDown until={Date.now() + state.cooling_ms} />
        </small>
      </span>
    );
  }
  const { attempts, failures, ttft_ms: ttft } = state;
  const facts = [
    attempts === 0 ? t.health.unused : percent((attempts - failures) / attempts),
    ttft === null ? '' : written(duration(ttft)),
  ];
  return (
    <Told
      tone={state.state === 'open' ? 'bad' : 'ok'}
      word={state.state === 'open' ? t.health.open : t.health.ready}
      detail={facts.filter((each) => each !== '').join(', ') || NOTHING}
    />
  );
}

interface ToldProps {
  readonly tone: 'ok' | 'warn' | 'bad' | 'off';
  readonly word: string;
  readonly detail: string;
}

function Told({ tone, word, detail }: ToldProps) {
  return (
    <span className={css.health}>
      <Status tone={tone}>{word}</Status>
      <small title={detail}>
        <Dim>{detail}</Dim>
      </small>
    </span>
  );
}
