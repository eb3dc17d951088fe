import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useStore } from '../../../app/store.ts';
import { Button } from '../../../parts/button.tsx';
import { classes } from '../../../parts/classes.ts';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Menu, type MenuItem } from '../../../parts/overlay/menu.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { count, duration, money, NOTHING } from '../../../parts/text/format.ts';
import { Pill } from '../../../parts/text/status.tsx';
import { Mono, Unit } from '../../../parts/text/text.tsx';
import { ModelPicker } from '../model-picker.tsx';
import { convertedTo, fitTo, type Offer } from '../models.ts';
import { tokensSoFar, useLoggedCall, useQuote } from '../prices.ts';
import { usePlaygroundTexts } from '../texts.ts';
import { type AnswerTurn, answerText, type Protocol, type Settings, type Turn } from './conversation.ts';
import css from './lane.module.css';
import type { Lane } from './lane.ts';
import { TurnView } from './turn-view.tsx';

export interface LaneViewProps {
  readonly offer: Offer;
  readonly protocol: Protocol;
  readonly model: string;
  readonly lane: Lane;
  readonly settings: Settings;
  /** On a phone one lane is shown at a time. */
  readonly isShown: boolean;
  readonly onModel: (id: string) => void;
  readonly onRemove: (() => void) | undefined;
  readonly onCompare: (() => void) | undefined;
  readonly onClear: () => void;
}

export function LaneView(props: LaneViewProps) {
  const { offer, protocol, model, lane, isShown, onModel, onRemove, onCompare, onClear } = props;
  const t = usePlaygroundTexts();
  const { turns } = useStore(lane.state);
  const answers = turns.filter((turn) => turn.role === 'answer');
  const last = answers.at(-1);
  const offered = offer.text.find(({ id }) => id === model);
  const settings = fitTo(props.settings, offered);
  const again = (): void => void lane.retry({ protocol, model, settings });
  const scroll = useFollow(turns);
  const target = offered === undefined ? undefined : convertedTo(offered, protocol);
  return (
    <section className={classes(css.lane, !isShown && css.behind)} aria-label={model}>
      <header className={css.head}>
        <ModelPicker models={offer.text} value={model} onChange={onModel} />
        {last !== undefined && <State turn={last} />}
        <LaneMenu {...{ last, onRemove, onCompare, onClear }} onAgain={again} />
      </header>
      <Figures turn={last} number={callNumber(turns)} model={model} most={settings.maxOutput} />
      <div
        className={css.scroll}
        ref={scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long conversations scroll by keyboard
        tabIndex={0}
        role="log"
        aria-label={t.lane.conversation(model)}
      >
        {target !== undefined && (
          <p className={css.converted}>
            <Icon name="swap" size={14} />
            <span>{t.lane.converted(model, t.modes[protocol], t.modes[target])}</span>
          </p>
        )}
        {turns.length === 0 ? (
          <div className={css.empty}>
            <Empty title={t.lane.emptyTitle}>{t.lane.empty}</Empty>
          </div>
        ) : (
          turns.map((turn, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end
            <TurnView key={place} turn={turn} onAgain={turn === turns.at(-1) ? again : undefined} />
          ))
        )}
      </div>
    </section>
  );
}

/** The number of the last call within its turn: tools make several. 0 if there is only one. */
function callNumber(turns: readonly Turn[]): number {
  const since = turns.length - 1 - turns.findLastIndex(({ role }) => role === 'user');
  return since > 1 ? since : 0;
}

function State({ turn }: { readonly turn: AnswerTurn }) {
  const t = usePlaygroundTexts().lane;
  if (turn.state === 'running') {
    return (
      <Pill tone="accent" dot="live">
        {turn.parts.length === 0 ? t.waiting : t.streaming}
      </Pill>
    );
  }
  if (turn.state === 'failed') return <Pill tone="bad">{t.failed}</Pill>;
  if (turn.state === 'stopped') return <Pill tone="warn">{t.stopped}</Pill>;
  return (
    <Pill tone="ok" icon="check">
      {t.complete}
    </Pill>
  );
}

interface LaneMenuProps extends Pick<LaneViewProps, 'onRemove' | 'onCompare' | 'onClear'> {
  readonly last: AnswerTurn | undefined;
  readonly onAgain: () => void;
}

function LaneMenu({ last, onAgain, onRemove, onCompare, onClear }: LaneMenuProps) {
  const all = usePlaygroundTexts();
  const t = all.lane;
  const isIdle = last !== undefined && last.state !== 'running';
  const copy = (): void => void navigator.clipboard?.writeText(last === undefined ? '' : answerText(last));
  const items: readonly MenuItem[] = [
    { key: 'again', label: t.again, icon: 'refresh', disabled: !isIdle, onSelect: onAgain },
    { key: 'copy', label: t.copy, icon: 'copy', disabled: last === undefined, onSelect: copy },
  ];
  const lanes: readonly MenuItem[] = [
    ...(onCompare === undefined
      ? []
      : [{ key: 'compare', label: all.compare, icon: 'plus' as const, onSelect: onCompare }]),
    { key: 'clear', label: all.clear, icon: 'undo', onSelect: onClear },
    ...(onRemove === undefined
      ? []
      : [{ key: 'remove', label: t.remove, icon: 'x' as const, onSelect: onRemove }]),
  ];
  return (
    <div className={css.right}>
      <Menu
        align="end"
        trigger={<Button variant="ghost" size="xs" icon="more" aria-label={t.menu} />}
        groups={[items, lanes]}
      />
    </div>
  );
}

/** Below it a speed means nothing. */
const SPEED_FROM_MS = 100;

interface FiguresProps {
  readonly turn: AnswerTurn | undefined;
  readonly number: number;
  readonly model: string;
  readonly most: number;
}

/** First token, speed, output and cost of the last call; below them how much of the most output is used. */
function Figures({ turn, number, model, most }: FiguresProps) {
  const t = usePlaygroundTexts().lane;
  const facts = turn?.facts;
  const isRunning = turn?.state === 'running';
  const rough = turn === undefined ? 0 : tokensSoFar(turn.parts);
  const output = Math.max(facts?.usage?.output ?? 0, isRunning || facts?.usage === undefined ? rough : 0);
  const first = duration(facts?.firstMs);
  const since = facts?.totalMs ?? (isRunning ? Date.now() - (facts?.startedAt ?? 0) : undefined);
  const writingMs = since === undefined || facts?.firstMs === undefined ? 0 : since - facts.firstMs;
  const speed =
    output > 0 && writingMs >= SPEED_FROM_MS ? count(Math.round((output * 1_000) / writingMs)) : NOTHING;
  return (
    <>
      <dl className={css.figures}>
        <Figure name={t.first} value={first.figure} unit={first.unit} />
        <Figure name={t.speed} value={speed} unit={t.perSecond} />
        <Figure name={t.output} value={output === 0 ? NOTHING : count(output)} unit={t.tokens} />
        <div className={css.cost}>
          {turn === undefined ? (
            <>
              <dt>{t.cost}</dt>
              <dd>{NOTHING}</dd>
            </>
          ) : isRunning ? (
            <RunningCost model={model} input={facts?.usage?.input ?? 0} output={output} />
          ) : (
            <FinalCost turn={turn} name={number === 0 ? t.cost : t.costOf(number)} />
          )}
        </div>
      </dl>
      <div className={css.most} aria-hidden="true">
        {isRunning && <i style={{ width: `${Math.min(100, (output / most) * 100)}%` }} />}
      </div>
    </>
  );
}

function Figure(given: { readonly name: string; readonly value: string; readonly unit: string }) {
  return (
    <div>
      <dt>{given.name}</dt>
      <dd>
        {given.value}
        {given.value !== NOTHING && given.unit !== '' && <Unit>{given.unit}</Unit>}
      </dd>
    </div>
  );
}

/** The server is asked anew whenever so many tokens have come. */
const QUOTED_TOKENS = 50;

function RunningCost({ model, input, output }: { model: string; input: number; output: number }) {
  const t = usePlaygroundTexts().lane;
  const rounded = Math.ceil(output / QUOTED_TOKENS) * QUOTED_TOKENS;
  const quote = useQuote(model, { input_tokens: input, output_tokens: rounded });
  return (
    <>
      <dt>{t.costSoFar}</dt>
      <dd>{money(quote?.amount, { decimals: 6 })}</dd>
    </>
  );
}

function FinalCost({ turn, name }: { readonly turn: AnswerTurn; readonly name: string }) {
  const { requestId } = turn.facts;
  const call = useLoggedCall(turn.facts);
  const amount = <Mono className={css.amount}>{money(call?.amount, { decimals: 6 })}</Mono>;
  return (
    <>
      <dt>{name}</dt>
      <dd data-request={requestId}>
        {call === undefined ? (
          amount
        ) : (
          <Link to="/calls" search={{ call: requestId }}>
            {amount}
          </Link>
        )}
      </dd>
    </>
  );
}

/** Stays at the end while the reader is there. */
function useFollow(turns: readonly Turn[]) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onScroll = (): void => {
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the turns may add a line
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [turns]);
  return box;
}
