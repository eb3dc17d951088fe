import { useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/form/combobox.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { money } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import css from './settings.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The model that answers when every route of the asked one fails. */
export function FallbackModel() {
  const t = useTexts({ en, zh });
  const preferences = useApi('getPreferences', {}).data?.data;
  const prices = useApi('listPrices', {}).data?.data.models ?? [];
  const write = useApiWrite('setPreferences', ['getPreferences']);
  const known = write.isPending ? write.variables.body?.fallback_model : preferences?.fallback_model;
  const models = [...new Map(prices.map((each) => [each.model_id, each])).values()];
  const options = models.map((each) => ({
    value: each.model_id,
    label: each.model_id,
    detail:
      (each.billing_modes & 1) === 0
        ? undefined
        : t.prices(money(each.own.input_price), money(each.own.output_price)),
  }));
  const choose = (model: string | null) => write.mutate({ body: { fallback_model: model } });
  return (
    <>
      <div className={css.fallback}>
        <div className={css.combobox}>
          <Combobox
            label={t.sections.fallback.title}
            placeholder={t.noFallback}
            value={known ?? undefined}
            onChange={choose}
            options={options}
            disabled={preferences === undefined}
          />
        </div>
        {typeof known === 'string' && (
          <Button variant="ghost" size="sm" icon="x" onClick={() => choose(null)}>
            {t.dropFallback}
          </Button>
        )}
      </div>
      {write.isError && <ErrorNote cause={write.error.message} requestId={write.error.requestId} />}
      <p className={css.hint}>{t.fallbackHint}</p>
    </>
  );
}
