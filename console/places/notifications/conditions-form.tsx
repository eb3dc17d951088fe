import { type FormEvent, useState } from 'react';
import { type Data, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Affix } from '../../parts/form/input.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { showToast } from '../../parts/overlay/toast.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { useTexts } from '../../texts/language.ts';
import { en as channelEn } from './channel.texts.en.ts';
import { zh as channelZh } from './channel.texts.zh.ts';
import css from './notifications.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const AMOUNT = /^\d{1,12}(?:\.\d{1,6})?$/;

/** When Credits are low, and the language of mails that belong to no channel. */
export function ConditionsForm({ settings }: { readonly settings: Data<'getAlertSettings'> }) {
  const t = useTexts({ en, zh });
  const { languages } = useTexts({ en: channelEn, zh: channelZh });
  const write = useApiWrite('setAlertSettings', ['getAlertSettings']);
  const language = (write.isPending ? write.variables.body?.language : undefined) ?? settings.language;
  return (
    <Section title={t.when}>
      <div className={css.fields}>
        <CreditsLow known={settings.credits_low} />
        <div className={css.chosen}>
          <span>{t.mailLanguage}</span>
          <Segmented
            label={t.mailLanguage}
            value={language}
            onChange={(next) => write.mutate({ body: { language: next } })}
            options={(['en', 'zh'] as const).map((value) => ({
              value,
              label: <span lang={value}>{languages[value]}</span>,
            }))}
          />
          <small>{t.mailLanguageHelp}</small>
        </div>
      </div>
      {write.isError && <ErrorNote cause={write.error.message} requestId={write.error.requestId} />}
    </Section>
  );
}

function CreditsLow({ known }: { readonly known: string }) {
  const t = useTexts({ en, zh });
  const [typed, setTyped] = useState<string>();
  const write = useApiWrite('setAlertSettings', ['getAlertSettings']);
  const amount = (typed ?? known).trim();
  const isWrong = !AMOUNT.test(amount);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong || write.isPending || amount === known) return;
    write.mutate(
      { body: { credits_low: amount } },
      {
        onSuccess: () => {
          setTyped(undefined);
          showToast({ text: t.saved });
        },
      },
    );
  };
  const error = typed !== undefined && isWrong ? t.wrongAmount : write.error?.message;
  return (
    <form noValidate onSubmit={save}>
      <Field label={t.creditsLow} help={t.creditsLowHelp} error={error}>
        <Affix
          inputMode="decimal"
          autoComplete="off"
          suffix={t.credits}
          value={typed ?? known}
          onChange={(event) => {
            setTyped(event.target.value);
            write.reset();
          }}
        />
      </Field>
      <Button type="submit" pending={write.isPending} disabled={isWrong || amount === known}>
        {t.save}
      </Button>
    </form>
  );
}
