import { type DragEvent, useEffect, useRef, useState } from 'react';
import { useApi } from '../../../../api/api.ts';
import { Button } from '../../../../parts/button.tsx';
import { classes } from '../../../../parts/classes.ts';
import { Field } from '../../../../parts/form/field.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { Empty } from '../../../../parts/page/empty.tsx';
import { Hidden } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { type Entry, withField } from '../changes/document.ts';
import type { FormProps } from '../entries/fields.tsx';
import { routesOf } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';
import type { Routing } from '../wording.en.ts';
import {
  type Group,
  groupsOf,
  moveRoute,
  priorityOf,
  routeKey,
  stepRoute,
  type Target,
} from './priorities.ts';
import { RouteRow, type RouteState } from './route-row.tsx';

const REFRESH_MS = 15_000;

/** The routes of a model as they are in force, by their key. */
function useRouteStates(modelId: string): ReadonlyMap<string, RouteState> {
  const asked = useApi(
    'getOverviewByRoute',
    { query: { model_id: modelId } },
    { refetchInterval: REFRESH_MS },
  );
  return new Map((asked.data?.data.routes ?? []).map((each) => [routeKey({ ...each }, modelId), each]));
}

/** Where the keyboard was comes back when a route has moved to another place. */
function useGripFocus() {
  const [moved, setMoved] = useState<{ readonly key: string }>();
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    if (moved === undefined) return;
    const grips = table.current?.querySelectorAll<HTMLElement>('[data-grip]') ?? [];
    for (const grip of grips) if (grip.dataset.grip === moved.key) grip.focus();
  }, [moved]);
  return { table, follow: (key: string) => setMoved({ key }) };
}

/** Routes by priority. They are moved by pointer or by arrow keys. */
export function Routes({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, onChange, page } = form;
  const modelId = String(entry.model_id);
  const states = useRouteStates(modelId);
  const [dragged, setDragged] = useState<Entry>();
  const [said, setSaid] = useState('');
  const { table, follow } = useGripFocus();
  const routes = routesOf(entry);
  const routing = routingOf(entry);
  const groups = groupsOf(routes);
  const setRoutes = (next: readonly Entry[]) => onChange(withField(entry, 'routes', next));
  const place = (next: readonly Entry[] | undefined, route: Entry) => {
    if (next === undefined) return;
    const key = routeKey(route, modelId);
    const moved = next.find((each) => routeKey(each, modelId) === key) ?? route;
    setRoutes(next);
    follow(key);
    setSaid(t.route.moved(String(route.credential), priorityOf(moved)));
  };
  const drop = (target: Target) => {
    if (dragged !== undefined) place(moveRoute(routes, dragged, target), dragged);
    setDragged(undefined);
  };
  if (routes.length === 0) {
    return (
      <Empty
        title={t.route.noneTitle}
        action={
          <Button
            variant="primary"
            icon="plus"
            onClick={() => page.onSearch({ add: 'yes', changes: undefined })}
          >
            {t.route.add}
          </Button>
        }
      >
        {t.route.noneText}
      </Empty>
    );
  }
  return (
    <div className={css.tableFrame}>
      <table ref={table} className={classes(css.routes, dragged !== undefined && css.dragging)}>
        <Head />
        {groups.map((group, at) => (
          <GroupBody
            key={group.priority}
            {...{ group, at, routing }}
            onDrop={drop}
            isDragging={dragged !== undefined}
          >
            {group.routes.map((route) => (
              <RouteRow
                key={routeKey(route, modelId)}
                {...{ form, route, modelId, state: states.get(routeKey(route, modelId)) }}
                onDrag={setDragged}
                onStep={(step) => place(stepRoute(routes, route, step), route)}
                onChange={(next) =>
                  setRoutes(
                    routes.flatMap((each) => (each === route ? (next === null ? [] : [next]) : [each])),
                  )
                }
              />
            ))}
          </GroupBody>
        ))}
        <Gap group={groups.length} onDrop={drop} />
      </table>
      <Hidden>
        <span aria-live="polite">{said}</span>
      </Hidden>
      <p className={css.note}>{t.route.help}</p>
      <RoutingField {...{ form, routing }} />
    </div>
  );
}

const ROUTINGS: readonly Routing[] = ['weight', 'latency', 'cost', 'cache'];

function routingOf({ routing }: Entry): Routing {
  return ROUTINGS.find((each) => each === routing) ?? 'weight';
}

/** Which route of a priority is tried first. */
function RoutingField({ form, routing }: { readonly form: FormProps; readonly routing: Routing }) {
  const t = useCatalogueTexts();
  const { entry, onChange, errors } = form;
  return (
    <div className={classes(css.two, css.routing)}>
      <Field label={t.route.routing} help={t.route.routingHelp[routing]} error={errors.get('routing')}>
        <Select
          value={routing}
          onChange={(next) => onChange(withField(entry, 'routing', next, 'weight'))}
          options={ROUTINGS.map((value) => ({ value, label: t.route.routings[value] }))}
        />
      </Field>
    </div>
  );
}

function Head() {
  const t = useCatalogueTexts();
  return (
    <thead>
      <tr>
        <th scope="col">{t.route.one}</th>
        <th scope="col">{t.route.weight}</th>
        <th scope="col" className={css.wide}>
          {t.lastHour}
        </th>
        <th scope="col" className={css.numeric}>
          {t.fields.costRate}
        </th>
        <th scope="col" className={css.wide}>
          {t.health.title}
        </th>
        <th scope="col">
          <Hidden>{t.actions}</Hidden>
        </th>
      </tr>
    </thead>
  );
}

function allow(event: DragEvent): void {
  event.preventDefault();
  event.dataTransfer.dropEffect = 'move';
}

/** Stands between two priorities while a route is dragged. */
function Gap({ group, onDrop }: { readonly group: number; readonly onDrop: (target: Target) => void }) {
  const t = useCatalogueTexts();
  const [isOver, setOver] = useState(false);
  return (
    <tbody className={classes(css.gap, isOver && css.over)}>
      <tr
        onDragOver={(event) => {
          allow(event);
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={() => {
          setOver(false);
          onDrop({ group, place: 'before' });
        }}
      >
        <td colSpan={6} data-gap={group}>
          {t.route.ownPriority}
        </td>
      </tr>
    </tbody>
  );
}

interface GroupBodyProps {
  readonly group: Group;
  readonly at: number;
  readonly routing: Routing;
  readonly isDragging: boolean;
  readonly onDrop: (target: Target) => void;
  readonly children: React.ReactNode;
}

function GroupBody({ group, at, routing, isDragging, onDrop, children }: GroupBodyProps) {
  const t = useCatalogueTexts();
  const [isOver, setOver] = useState(false);
  return (
    <>
      <Gap group={at} onDrop={onDrop} />
      <tbody
        className={classes(isOver && isDragging && css.over)}
        data-priority={group.priority}
        onDragOver={(event) => {
          allow(event);
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={() => {
          setOver(false);
          onDrop({ group: at, place: 'in' });
        }}
      >
        <tr className={css.priority}>
          <th colSpan={6} scope="rowgroup">
            <b>{t.route.priority(group.priority)}</b> {t.route.order(at, group.routes.length, routing)}
          </th>
        </tr>
        {children}
      </tbody>
    </>
  );
}
