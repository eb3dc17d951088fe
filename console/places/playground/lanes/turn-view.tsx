import { Link } from '@tanstack/react-router';
import { Code } from '../../../parts/code/code-block.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Markdown } from '../../../parts/markdown/markdown.tsx';
import { count, credits, duration, money, written } from '../../../parts/text/format.ts';
import { Pill } from '../../../parts/text/status.tsx';
import { Mono } from '../../../parts/text/text.tsx';
import { useLoggedCall } from '../prices.ts';
import { usePlaygroundTexts } from '../texts.ts';
import css from '../turn.module.css';
import {
  type AnswerTurn,
  dataUrl,
  isPicture,
  objectOf,
  type Part,
  type ToolPart,
  type Turn,
  type UserTurn,
} from './conversation.ts';
import { RefusalNote } from './refusal.tsx';

export interface TurnViewProps {
  readonly turn: Turn;
  /** With it the last question can be asked again. */
  readonly onAgain: (() => void) | undefined;
}

export function TurnView({ turn, onAgain }: TurnViewProps) {
  return turn.role === 'user' ? <Question turn={turn} /> : <AnswerView turn={turn} onAgain={onAgain} />;
}

function Question({ turn }: { readonly turn: UserTurn }) {
  const t = usePlaygroundTexts().turn;
  return (
    <article className={css.question} aria-label={t.you}>
      {turn.attachments.length > 0 && (
        <ul className={css.files}>
          {turn.attachments.map((file, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was sent does not change
            <li key={place}>
              {isPicture(file) && file.data !== '' ? (
                <img src={dataUrl(file)} alt={file.name} />
              ) : (
                <span>
                  <Icon name="clip" size={14} />
                  {file.name}
                  {file.data === '' && <small>{t.fileGone}</small>}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {turn.text}
    </article>
  );
}

function AnswerView({
  turn,
  onAgain,
}: {
  readonly turn: AnswerTurn;
  readonly onAgain: TurnViewProps['onAgain'];
}) {
  const t = usePlaygroundTexts();
  const { parts, state, facts, problem } = turn;
  const isRunning = state === 'running';
  return (
    <article className={css.answer} aria-busy={isRunning}>
      {parts.map((part, place) => (
        <PartView
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
          key={place}
          part={part}
          place={place}
          isOpen={isRunning && place === parts.length - 1}
          turn={turn}
        />
      ))}
      {isRunning && parts.length === 0 && <Dots />}
      {problem !== undefined && <RefusalNote problem={problem} facts={facts} onAgain={onAgain} />}
      {/^(?:length|max_tokens|MAX_TOKENS|max_output_tokens)$/.test(facts.ended) && (
        <p className={css.ended}>{t.turn.endedLength}</p>
      )}
      {/^(?:content_filter|refusal|SAFETY|PROHIBITED_CONTENT|BLOCKLIST)$/.test(facts.ended) && (
        <p className={css.ended}>{t.turn.endedFilter}</p>
      )}
      {facts.dropped.length > 0 && (
        <p className={css.dropped}>
          <Icon name="info" size={14} />
          <span>
            {t.lane.leftOut} <Mono>{facts.dropped.join(', ')}</Mono>
          </span>
        </p>
      )}
      {!isRunning && facts.requestId !== '' && problem === undefined && <Paid turn={turn} />}
    </article>
  );
}

interface PartViewProps {
  readonly part: Part;
  readonly place: number;
  /** More of it is coming. */
  readonly isOpen: boolean;
  readonly turn: AnswerTurn;
}

function PartView({ part, place, isOpen, turn }: PartViewProps) {
  const t = usePlaygroundTexts().turn;
  if (part.kind === 'text') {
    return (
      <div className={isOpen ? css.writing : css.text}>
        <Markdown text={part.text} />
      </div>
    );
  }
  if (part.kind === 'thinking') {
    return isOpen || isWorthShowing(part, turn) ? <Thought part={part} isOpen={isOpen} turn={turn} /> : null;
  }
  if (part.kind === 'tool') return <ToolCall part={part} />;
  if (part.data === '') return <p className={css.gone}>{t.pictureGone}</p>;
  return <img className={css.picture} src={dataUrl(part)} alt={t.picture(place + 1)} />;
}

/** A sealed thought is named once, where the vendor shows nothing of what was thought. */
function isWorthShowing(part: Part, { parts, facts }: AnswerTurn): boolean {
  const thoughts = parts.filter(({ kind }) => kind === 'thinking');
  const isSealed = thoughts.every((each) => each.kind === 'thinking' && each.text === '');
  if (!isSealed) return part.kind === 'thinking' && part.text !== '';
  return part === thoughts[0] && (facts.usage?.thinking ?? 0) > 0;
}

function Thought(given: {
  readonly part: Extract<Part, { kind: 'thinking' }>;
  readonly isOpen: boolean;
  readonly turn: AnswerTurn;
}) {
  const { part, isOpen, turn } = given;
  const t = usePlaygroundTexts().turn;
  const time = written(duration(part.ms));
  const shown = turn.parts.filter((each) => each.kind === 'thinking' && each.text !== '');
  const isOnly = shown.length <= 1;
  const tokens = isOnly ? (turn.facts.usage?.thinking ?? 0) : 0;
  return (
    <details className={css.thought} open={isOpen || undefined}>
      <summary>
        <Icon name="think" size={14} />
        {isOpen ? (
          <>
            <span>{t.thinking}</span>
            <Dots />
            <span className={css.dim}>{time}</span>
          </>
        ) : (
          <span>{tokens > 0 ? t.thoughtTokens(time, count(tokens)) : t.thought(time)}</span>
        )}
      </summary>
      <p>{part.text === '' ? t.thoughtHidden : part.text}</p>
    </details>
  );
}

function ToolCall({ part }: { readonly part: ToolPart }) {
  const t = usePlaygroundTexts().turn;
  return (
    <div className={css.tool}>
      <div className={css.toolHead}>
        <Icon name="tool" size={14} />
        <Mono className={css.toolName}>{part.name}</Mono>
        {part.answer === undefined ? (
          <Pill tone="accent" dot="live">
            {t.calling}
          </Pill>
        ) : (
          <Pill tone="ok" icon="check">
            {t.answered}
          </Pill>
        )}
      </div>
      <ToolText label={t.arguments} text={part.input} />
      {part.answer !== undefined && <ToolText label={t.result} text={part.answer} isResult />}
    </div>
  );
}

/** One line until it is opened. */
function ToolText(given: { readonly label: string; readonly text: string; readonly isResult?: boolean }) {
  const { label, text, isResult } = given;
  const value = objectOf(text);
  const line = value === undefined ? text : JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  return (
    <details className={isResult === true ? css.toolResult : css.toolText}>
      <summary title={label}>
        <Code code={line} language={isResult === true || value === undefined ? 'text' : 'json'} />
      </summary>
      <pre>{value === undefined ? text : JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}

export function Dots() {
  return (
    <span className={css.dots} aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

/** What the call cost, by its receipt, and the way to it. */
function Paid({ turn }: { readonly turn: AnswerTurn }) {
  const t = usePlaygroundTexts().turn;
  const { requestId } = turn.facts;
  const call = useLoggedCall(turn.facts);
  if (call === undefined) return <p className={css.paid}>{t.receiptComing}</p>;
  return (
    <p className={css.paid}>
      <Link to="/calls" search={{ call: requestId }} title={t.open}>
        <Mono>{`${requestId.slice(0, 14)}…`}</Mono>
      </Link>
      <span>{t.tokensInOut(count(call.input_tokens), count(call.output_tokens))}</span>
      <span className={css.amount}>{money(call.amount, { decimals: 6 })}</span>
      <span>{call.free_reason === null ? t.credits(credits(call.credits)) : t.free[call.free_reason]}</span>
    </p>
  );
}
