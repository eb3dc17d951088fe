import { useEffect, useMemo, useState } from 'react';
import { useStore } from '../../../app/store.ts';
import { classes } from '../../../parts/classes.ts';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Composer, type Estimate } from '../composer.tsx';
import { fitTo, type Offer } from '../models.ts';
import css from '../playground.module.css';
import { useInputTokens, useQuote } from '../prices.ts';
import { usePlaygroundTexts } from '../texts.ts';
import type { Draft, Workspace } from '../workspace.ts';
import type { Ask, Protocol, Settings, Turn } from './conversation.ts';
import { LaneView } from './lane-view.tsx';

export interface LanesProps {
  readonly offer: Offer;
  readonly protocol: Protocol;
  readonly models: readonly string[];
  readonly workspace: Workspace;
  readonly setModels: (models: readonly (string | undefined)[]) => void;
  readonly onCompare: (() => void) | undefined;
  readonly onClear: () => void;
  readonly onSide: () => void;
}

export function isRunning(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last?.role === 'answer' && last.state === 'running';
}

/** One to three conversations side by side, and the field that asks all of them. */
export function Lanes(props: LanesProps) {
  const { offer, protocol, models, workspace, setModels, onCompare, onClear, onSide } = props;
  const t = usePlaygroundTexts();
  const settings = useStore(workspace.settings);
  const draft = useStore(workspace.draft);
  const [shown, setShown] = useState('0');
  const turns = useLaneTurns(workspace).slice(0, models.length);
  const running = turns.some(isRunning);
  const estimates = useEstimates({ offer, models, workspace, settings, draft, running });
  const stop = (): void => {
    for (const lane of workspace.lanes) lane.stop();
  };
  useStopKey(running, stop);
  const send = (): void => {
    const { text, attachments } = workspace.draft.read();
    if (text.trim() === '' || running) return;
    workspace.draft.write({ text: '', attachments: [] });
    for (const [place, model] of models.entries()) {
      const fitted = fitTo(
        settings,
        offer.text.find(({ id }) => id === model),
      );
      const sending = { protocol, model, settings: fitted };
      void workspace.lanes[place]?.send({ role: 'user', text, attachments }, sending);
    }
  };
  const isOne = models.length === 1;
  return (
    <>
      {!isOne && (
        <div className={css.switch}>
          <Segmented
            block
            size="sm"
            label={t.picker.model}
            value={shown}
            onChange={setShown}
            options={models.map((model, place) => ({ value: String(place), label: model }))}
          />
        </div>
      )}
      <div className={classes(css.lanes, css[`lanes${models.length}`])}>
        {models.map((model, place) => {
          const lane = workspace.lanes[place];
          if (lane === undefined) return null;
          return (
            <LaneView
              // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
              key={place}
              {...{ offer, protocol, model, lane, settings, onCompare, onClear }}
              isShown={isOne || shown === String(place)}
              onModel={(id) => setModels(models.with(place, id))}
              onRemove={isOne ? undefined : () => removeLane(place, { models, workspace, setModels })}
            />
          );
        })}
      </div>
      <Composer
        {...{ models, settings, estimates, running, onSide }}
        draft={workspace.draft}
        onSend={send}
        onStop={stop}
      />
    </>
  );
}

/** The lanes behind it move up, with what was said in them. */
function removeLane(
  place: number,
  { models, workspace, setModels }: Pick<LanesProps, 'models' | 'workspace' | 'setModels'>,
): void {
  const kept = workspace.lanes.map(({ state }) => state.read()).toSpliced(place, 1);
  for (const [at, lane] of workspace.lanes.entries()) {
    lane.clear();
    lane.state.write(kept[at] ?? { turns: [], exchange: undefined });
  }
  setModels(models.toSpliced(place, 1));
}

const NO_TURNS: readonly Turn[] = [];

function useLaneTurns({ lanes }: Workspace): readonly (readonly Turn[])[] {
  const [one, two, three] = lanes;
  // There are always three lanes; those that are not shown are silent.
  if (one === undefined || two === undefined || three === undefined) throw new Error('a lane is missing');
  return [useStore(one.state).turns, useStore(two.state).turns, useStore(three.state).turns];
}

interface Estimating {
  readonly offer: Offer;
  readonly models: readonly string[];
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly draft: Draft;
  readonly running: boolean;
}

/** The price of the next turn in each lane. */
function useEstimates(given: Estimating): readonly Estimate[] {
  const all = useLaneTurns(given.workspace);
  const one = useEstimate(given, 0, all[0] ?? NO_TURNS);
  const two = useEstimate(given, 1, all[1] ?? NO_TURNS);
  const three = useEstimate(given, 2, all[2] ?? NO_TURNS);
  return [one, two, three].filter((each) => each !== undefined);
}

function useEstimate(given: Estimating, place: number, turns: readonly Turn[]): Estimate | undefined {
  const { offer, models, draft, running } = given;
  const model = models[place];
  const offered = offer.text.find(({ id }) => id === model);
  const settings = useMemo(() => fitTo(given.settings, offered), [given.settings, offered]);
  const isCallable = offered?.refusal === null;
  const isWanted = isCallable && !running && draft.text.trim() !== '';
  const ask = useMemo((): Ask | undefined => {
    if (!isWanted || model === undefined) return undefined;
    const { text, attachments } = draft;
    return { model, settings, turns: [...turns, { role: 'user', text, attachments }] };
  }, [isWanted, model, settings, turns, draft]);
  const tokens = useInputTokens(ask);
  const from = useQuote(model, tokens === undefined ? undefined : { input_tokens: tokens });
  const most = useQuote(
    model,
    tokens === undefined ? undefined : { input_tokens: tokens, output_tokens: settings.maxOutput },
  );
  if (ask === undefined || model === undefined) return undefined;
  return { model, tokens, from: from?.amount, most: most?.amount };
}

const FLOATING = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** Escape stops the answers, unless it closes something that is open over the page. */
export function useStopKey(running: boolean, stop: () => void): void {
  useEffect(() => {
    if (!running) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing || document.querySelector(FLOATING) !== null) return;
      event.preventDefault();
      stop();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}
