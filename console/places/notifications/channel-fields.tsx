import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api.ts';
import { Checkbox } from '../../parts/form/choice.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input } from '../../parts/form/input.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { useTexts } from '../../texts/language.ts';
import { useAlertMeaning, useAlertName } from './alert-name.ts';
import { en } from './channel.texts.en.ts';
import { zh } from './channel.texts.zh.ts';
import css from './channels.module.css';
import type { Channel, Desk } from './desk.ts';

/** What is typed of a channel. */
export type Draft = Pick<Channel, 'kind' | 'name' | 'address' | 'language' | 'alerts'>;

const NAME_CHARS_MAX = 100;

type Wrong = Partial<Record<'name' | 'address', string>>;

/** The server names the field first in what it says is wrong. */
export function wrongFields(error: ApiError | null): Wrong {
  const [, field, text] = /^(name|address): (.*)$/s.exec(error?.message ?? '') ?? [];
  return field === undefined || text === undefined ? {} : { [field]: text };
}

export interface ChannelFieldsProps {
  readonly desk: Desk;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly wrong: Wrong;
  /** The kind of a channel that there is stays. */
  readonly isNew: boolean;
  /** Where mails of an account go: nothing is typed then. */
  readonly ownAddress: string | undefined;
  /** Why there can be no mails, and what to do about it. */
  readonly noMail: ReactNode;
}

export function ChannelFields(props: ChannelFieldsProps) {
  const { desk, draft, onChange, wrong, isNew, ownAddress, noMail } = props;
  const t = useTexts({ en, zh });
  const kinds = ['webhook', 'email'] as const;
  return (
    <div className={css.fields}>
      {isNew && (
        <div className={css.chosen}>
          <span>{t.kind}</span>
          <Segmented
            label={t.kind}
            value={draft.kind}
            onChange={(kind) => onChange({ kind })}
            options={kinds.map((value) => ({ value, label: t.kinds[value] }))}
          />
        </div>
      )}
      {isNew && draft.kind === 'email' && noMail}
      <Field label={t.name} help={isNew ? t.nameHelp : undefined} error={wrong.name}>
        <Input
          value={draft.name}
          maxLength={NAME_CHARS_MAX}
          autoComplete="off"
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </Field>
      <Address draft={draft} onChange={onChange} wrong={wrong} ownAddress={ownAddress} />
      <Alerts desk={desk} chosen={draft.alerts} onChange={(alerts) => onChange({ alerts })} />
      <div className={css.chosen}>
        <span>{t.languageOf}</span>
        <Segmented
          label={t.languageOf}
          value={draft.language}
          onChange={(language) => onChange({ language })}
          options={(['en', 'zh'] as const).map((value) => ({
            value,
            label: <span lang={value}>{t.languages[value]}</span>,
          }))}
        />
      </div>
    </div>
  );
}

function Address({
  draft: { kind, address },
  onChange,
  wrong,
  ownAddress,
}: Pick<ChannelFieldsProps, 'draft' | 'onChange' | 'wrong' | 'ownAddress'>) {
  const t = useTexts({ en, zh });
  const isOwn = kind === 'email' && ownAddress !== undefined;
  const help = kind === 'webhook' ? t.hookHelp : isOwn ? t.ownMail : t.mailHelp;
  return (
    <Field label={t.address} help={help} error={wrong.address}>
      <Input
        key={kind}
        mono
        type={kind === 'email' ? 'email' : 'url'}
        value={isOwn ? ownAddress : address}
        disabled={isOwn}
        placeholder={kind === 'webhook' ? 'https://' : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ address: event.target.value })}
      />
    </Field>
  );
}

interface AlertsProps {
  readonly desk: Desk;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Which alerts it gets, each with when it comes. */
function Alerts({ desk, chosen, onChange }: AlertsProps) {
  const t = useTexts({ en, zh });
  const nameOf = useAlertName();
  const meaningOf = useAlertMeaning();
  // An alert of a newer server is kept as it is.
  const all = [...desk.alerts, ...chosen.filter((kind) => !desk.alerts.includes(kind))];
  return (
    <fieldset className={css.alerts}>
      <legend>{t.alerts}</legend>
      {all.map((kind) => (
        <Checkbox
          key={kind}
          className={css.alert}
          checked={chosen.includes(kind)}
          onChange={(on) => onChange(all.filter((each) => (each === kind ? on : chosen.includes(each))))}
        >
          <span>
            {nameOf(kind)}
            <small>{meaningOf(kind)}</small>
          </span>
        </Checkbox>
      ))}
    </fieldset>
  );
}
