import { Fragment, type KeyboardEvent, type ReactNode, useState } from 'react';
import { type Store, useStore } from '../../app/store.ts';
import { Button } from '../../parts/button.tsx';
import { count, money } from '../../parts/text/format.ts';
import { Tag } from '../../parts/text/status.tsx';
import { AttachButton, AttachmentList, usePaste } from './attachments.tsx';
import css from './composer.module.css';
import { offeredTools, type Settings } from './lanes/conversation.ts';
import { usePlaygroundTexts } from './texts.ts';
import type { Draft } from './workspace.ts';

/** The price of the next turn in one lane. Undefined while it is asked for. */
export interface Estimate {
  readonly model: string;
  readonly tokens: number | undefined;
  readonly from: string | undefined;
  readonly most: string | undefined;
}

export interface ComposerProps {
  readonly models: readonly string[];
  readonly settings: Settings;
  readonly draft: Store<Draft>;
  readonly estimates: readonly Estimate[];
  readonly running: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  readonly onSide: () => void;
}

export function Composer(props: ComposerProps) {
  const { models, settings, draft, estimates, running, onSend, onStop, onSide } = props;
  const all = usePlaygroundTexts();
  const t = all.composer;
  const { text } = useStore(draft);
  const tools = offeredTools(settings).length;
  const [first = ''] = models;
  const placeholder = models.length === 1 ? t.ask(first) : models.length === 2 ? t.askBoth : t.askAll;
  return (
    <Box draft={draft} label={t.message} placeholder={placeholder} accept={undefined} onSend={onSend}>
      <Button
        variant="ghost"
        size="sm"
        icon="gear"
        className={css.narrow}
        aria-label={t.parameters}
        onClick={onSide}
      />
      <span className={css.tags}>
        {tools > 0 && <Tag>{t.tools(tools)}</Tag>}
        {settings.thinking !== 'auto' && <Tag>{t.effort(all.parameters.efforts[settings.thinking])}</Tag>}
        {settings.asJson && <Tag>{t.json}</Tag>}
      </span>
      <EstimateLine estimates={estimates} isIdle={text === ''} />
      {running ? (
        <Button size="sm" icon="stop" aria-keyshortcuts="Escape" onClick={onStop}>
          {t.stop} <kbd className={css.wide}>Esc</kbd>
        </Button>
      ) : (
        <Button size="sm" variant="primary" disabled={text.trim() === ''} onClick={onSend}>
          {t.send} <kbd className={css.wide}>↵</kbd>
        </Button>
      )}
    </Box>
  );
}

function EstimateLine({
  estimates,
  isIdle,
}: {
  readonly estimates: readonly Estimate[];
  readonly isIdle: boolean;
}) {
  const t = usePlaygroundTexts().composer;
  if (isIdle || estimates.length === 0) {
    return <span className={css.estimate}>{isIdle && <span className={css.wide}>{t.hint}</span>}</span>;
  }
  const [{ tokens } = { tokens: undefined }] = estimates;
  if (tokens === undefined || estimates.some(({ from, most }) => from === undefined || most === undefined)) {
    return <span className={css.estimate}>{t.counting}</span>;
  }
  return (
    <span className={css.estimate} aria-live="polite">
      {t.nextTurn} <Amounts amounts={estimates.map(({ from }) => from)} />
      <span className={css.wide}> {t.forTokens(count(tokens))}</span>; {t.atMost}{' '}
      <Amounts amounts={estimates.map(({ most }) => most)} />
    </span>
  );
}

/** One amount for each lane. They are not added up here. */
function Amounts({ amounts }: { readonly amounts: readonly (string | undefined)[] }) {
  return amounts.map((amount, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: one for each lane, in their order
    <Fragment key={place}>
      {place > 0 && ' + '}
      <b>{money(amount)}</b>
    </Fragment>
  ));
}

interface BoxProps {
  readonly draft: Store<Draft>;
  readonly label: string;
  readonly placeholder: string;
  /** The kinds of files that may be attached; all of them unless told. */
  readonly accept: string | undefined;
  readonly onSend: () => void;
  readonly children: ReactNode;
}

/** The field that is typed into, with what is attached and a row of controls. Enter sends. */
export function Box({ draft, label, placeholder, accept, onSend, children }: BoxProps) {
  const given = useStore(draft);
  const [problem, setProblem] = useState('');
  const attach = usePaste(draft, setProblem);
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // An input method for Chinese ends its word with Enter.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <div className={css.composer}>
      <div className={css.box}>
        <AttachmentList draft={draft} />
        {problem !== '' && (
          <p className={css.problem} role="alert">
            {problem}
          </p>
        )}
        <textarea
          rows={2}
          aria-label={label}
          placeholder={placeholder}
          value={given.text}
          onChange={(event) => draft.write({ ...draft.read(), text: event.target.value })}
          onKeyDown={onKey}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            attach(event.clipboardData.files);
          }}
        />
        <div className={css.row}>
          <AttachButton accept={accept} onFiles={attach} />
          {children}
        </div>
      </div>
    </div>
  );
}
