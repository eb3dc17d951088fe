import { useNavigate, useRouteContext, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCrumb } from '../../app/crumb.ts';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Drawer } from '../../parts/overlay/drawer.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { ImageSide } from './images/image-side.tsx';
import { Images } from './images/images.tsx';
import { Lanes } from './lanes/lanes.tsx';
import { type Offer, useOffer } from './models.ts';
import css from './playground.module.css';
import type { Mode, PlaygroundSearch } from './route.ts';
import { Side } from './side.tsx';
import { usePlaygroundTexts } from './texts.ts';
import { LANES_MAX, type Workspace, workspaceOf } from './workspace.ts';

const FROM = '/user/playground';

export function Playground() {
  const t = usePlaygroundTexts();
  const { profile } = useRouteContext({ from: FROM });
  const search = useSearch({ from: FROM });
  const mode = search.protocol ?? 'chat';
  const { offer, prices } = useOffer();
  useCrumb(mode === 'images' ? t.modes.images : undefined);
  if (prices.error !== null && offer === undefined) {
    const { requestId } = prices.error;
    return (
      <div className={css.note}>
        <ErrorNote cause={t.modelsFailed} requestId={requestId} onRetry={() => void prices.refetch()} />
      </div>
    );
  }
  if (offer === undefined) {
    return (
      <div className={css.note}>
        <SkeletonLines lines={5} />
      </div>
    );
  }
  return <Desk offer={offer} mode={mode} workspace={workspaceOf(profile.email)} />;
}

/** The chosen models: those of the address, else the first that may be called. */
function chosenModels({ model, model2, model3 }: PlaygroundSearch, offer: Offer): readonly string[] {
  const first = offer.text.find(({ refusal }) => refusal === null) ?? offer.text[0];
  const named = [model ?? first?.id, model2, model3].filter((each) => each !== undefined);
  const isSilent = (id: string | undefined): boolean =>
    [...offer.images, ...offer.others].some((each) => each.id === id) &&
    !offer.text.some((each) => each.id === id);
  return named.map((each) => (isSilent(each) && first !== undefined ? first.id : each));
}

interface DeskProps {
  readonly offer: Offer;
  readonly mode: Mode;
  readonly workspace: Workspace;
}

function Desk({ offer, mode, workspace }: DeskProps) {
  const t = usePlaygroundTexts();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/playground' });
  const [isSideOpen, setSideOpen] = useState(false);
  const models = chosenModels(search, offer);
  const imageModel = offer.images.find(({ id }) => id === search.model) ?? offer.images[0];
  const setModels = (next: readonly (string | undefined)[]): void => {
    const [model, model2, model3] = next;
    void navigate({
      replace: true,
      search: ({ model: _1, model2: _2, model3: _3, ...rest }) => ({
        ...rest,
        ...(model !== undefined && { model }),
        ...(model2 !== undefined && { model2 }),
        ...(model3 !== undefined && { model3 }),
      }),
    });
  };
  const side =
    mode === 'images' ? (
      <ImageSide offer={offer} model={imageModel} workspace={workspace} onModel={(id) => setModels([id])} />
    ) : (
      <Side offer={offer} protocol={mode} models={models} workspace={workspace} />
    );
  const openSide = (): void => setSideOpen(true);
  const compare = (): void => {
    const free = offer.text.find(({ id, refusal }) => refusal === null && !models.includes(id));
    setModels([...models, free?.id ?? models[0]]);
  };
  const onCompare = models.length > 0 && models.length < LANES_MAX ? compare : undefined;
  const onClear = (): void => {
    if (mode === 'images') workspace.images.clear();
    else for (const lane of workspace.lanes) lane.clear();
  };
  return (
    <div className={css.desk} data-fill data-tab={search.tab}>
      <div className={css.main}>
        <Bar {...{ mode, models, onClear }} onCompare={onCompare} />
        {mode === 'images' ? (
          <Images model={imageModel} workspace={workspace} onSide={openSide} />
        ) : models.length === 0 ? (
          <Empty title={t.noModels}>{t.noModelsHelp}</Empty>
        ) : (
          <Lanes
            {...{ offer, models, workspace, setModels, onCompare, onClear }}
            protocol={mode}
            onSide={openSide}
          />
        )}
      </div>
      {isSideOpen ? (
        <Drawer label={t.side.label} title={t.title} size="narrow" onClose={() => setSideOpen(false)}>
          <div className={css.sideDrawer}>{side}</div>
        </Drawer>
      ) : (
        <aside className={css.side} aria-label={t.side.label}>
          {side}
        </aside>
      )}
    </div>
  );
}

interface BarProps {
  readonly mode: Mode;
  readonly models: readonly string[];
  readonly onCompare: (() => void) | undefined;
  readonly onClear: () => void;
}

function Bar({ mode, models, onCompare, onClear }: BarProps) {
  const t = usePlaygroundTexts();
  const navigate = useNavigate({ from: '/playground' });
  const modes = Object.entries(t.modes).map(([value, label]) => ({ value: value as Mode, label }));
  return (
    <div className={css.bar}>
      <h1>{t.title}</h1>
      <Segmented
        size="sm"
        label={t.protocol}
        value={mode}
        options={modes}
        onChange={(protocol) => void navigate({ replace: true, search: (all) => ({ ...all, protocol }) })}
      />
      <div className={css.barRight}>
        {mode !== 'images' && onCompare !== undefined && (
          <Button variant="ghost" size="sm" icon="plus" onClick={onCompare}>
            {models.length === 1 ? t.compareSecond : t.compareThird}
          </Button>
        )}
        <Button variant="ghost" size="sm" icon="refresh" onClick={onClear}>
          {t.clear}
        </Button>
      </div>
    </div>
  );
}
