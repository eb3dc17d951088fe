import { Button } from '../../../../parts/button.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { money, NOTHING } from '../../../../parts/text/format.ts';
import { Dim } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { withField } from '../changes/document.ts';
import { EntryField, type FormProps, TypedInput } from '../entries/fields.tsx';
import { pricesOf } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';
import { isPrice, readPrice } from './typed-price.ts';

/** Tokens in yuan per million; what has a fallback is charged by that while it is empty. */
const PRICES = [
  { name: 'input', unit: '/M', fallback: undefined },
  { name: 'output', unit: '/M', fallback: undefined },
  { name: 'cache_input', unit: '/M', fallback: 'input' },
  { name: 'cache_output', unit: '/M', fallback: 'output' },
  { name: 'cache_write', unit: '/M', fallback: 'input' },
  { name: 'image', unit: '', fallback: undefined },
  { name: 'video', unit: '', fallback: undefined },
] as const;

/** The list prices of a model. A change shows at once what past calls would have brought. */
export function Prices({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const { entry, before, errors, onChange, page } = form;
  const prices = pricesOf(entry);
  const known = before === undefined ? {} : pricesOf(before);
  const set = (name: string, typed: string) => {
    const read = readPrice(typed, known[name]);
    if (typeof read === 'object') return;
    onChange(withField(entry, 'prices', withField(prices, name, read), {}));
  };
  const errorOf = (name: string) =>
    prices[name] === undefined || isPrice(String(prices[name]))
      ? errors.get(`prices.${name}`)
      : t.price.wrong;
  const inForce = (name: string, unit: string, fallback: string | undefined) => {
    const own = known[name];
    if (own !== undefined) return t.price.inForce(`${money(own)}${unit}`);
    const other = fallback === undefined ? undefined : known[fallback];
    if (fallback === undefined || other === undefined) return t.price.inForce(NOTHING);
    return t.price.inForceAs(t.priceName(fallback), `${money(other)}${unit}`);
  };
  return (
    <div className={css.prices}>
      <Banner
        tone="info"
        action={
          page.catalogue.edits.length > 0 && page.search.changes !== 'open' ? (
            <Button size="xs" onClick={() => page.onSearch({ changes: 'open' })}>
              {t.price.show}
            </Button>
          ) : undefined
        }
      >
        {t.price.intro}
      </Banner>
      {PRICES.map(({ name, unit, fallback }) => (
        <div key={name} className={css.price}>
          <Field
            label={t.priceName(name)}
            help={fallback === undefined ? t.price.help[name] : t.price.asOther(t.priceName(fallback))}
            error={errorOf(name)}
          >
            <TypedInput
              {...{
                form: 'amount',
                prefix: '¥',
                suffix: unit === '' ? t.price.each[name as 'image' | 'video'] : unit,
              }}
              value={prices[name]}
              placeholder={fallback === undefined ? '0' : (prices[fallback] ?? '0')}
              changed={known[name] !== prices[name]}
              onType={(typed) => set(name, typed)}
            />
          </Field>
          <span className={css.inForce}>
            <Dim>{inForce(name, unit, fallback)}</Dim>
          </span>
        </div>
      ))}
      <div className={css.price}>
        <EntryField
          {...{ form, name: 'batch_rate', label: t.price.batch, type: 'amount', usual: '100' }}
          help={t.price.batchHelp}
          suffix="%"
        />
      </div>
    </div>
  );
}
