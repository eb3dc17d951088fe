import type { Data } from '../../../../api/api.ts';
import { DrawerSection } from '../../../../parts/overlay/drawer.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { money } from '../../../../parts/text/format.ts';
import { Bad, Dim, Mono } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { useCatalogueTexts } from '../texts.ts';
import { useImportTexts } from './texts.ts';

export type Read = Data<'readFileOfPrices'>;

const SHOWN_MAX = 20;

/** What a file of prices says of the catalogue: what it prices, what is too cheap, what is not there. */
export function ReadPrices({ read }: { readonly read: Read }) {
  const t = useImportTexts();
  const tiered = read.priced.filter((each) => each.tiered).map((each) => each.model_id);
  return (
    <>
      <Banner tone="info">
        {t.found(read.priced.length, read.unpriced.length)}{' '}
        {tiered.length > 0 && t.tiered(tiered.slice(0, SHOWN_MAX).join(', '))}
      </Banner>
      {read.below.length > 0 && <Below below={read.below} />}
      {read.unknown_total > 0 && <Unknown read={read} />}
    </>
  );
}

function Below({ below }: { readonly below: Read['below'] }) {
  const t = useImportTexts();
  const { priceName } = useCatalogueTexts();
  return (
    <DrawerSection title={t.below}>
      <table className={css.whatIf} aria-label={t.below}>
        <thead>
          <tr>
            <th scope="col">{t.price}</th>
            <th scope="col">{t.own}</th>
            <th scope="col">{t.asked}</th>
          </tr>
        </thead>
        <tbody>
          {below.slice(0, SHOWN_MAX).map(({ model_id: model, vendor, price, own, asked }) => (
            <tr key={`${model} ${vendor} ${price}`}>
              <th scope="row">
                <Mono>{model}</Mono> {priceName(price)}
              </th>
              <td>
                <Bad>{money(own)}</Bad>
              </td>
              <td>{money(asked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More number={below.length - SHOWN_MAX} text={t.belowHelp} />
    </DrawerSection>
  );
}

function Unknown({ read }: { readonly read: Read }) {
  const t = useImportTexts();
  const { unknown, unknown_total: total } = read;
  return (
    <DrawerSection title={t.unknown(total)}>
      <table className={css.whatIf} aria-label={t.unknown(total)}>
        <tbody>
          {unknown.slice(0, SHOWN_MAX).map(({ vendor, model_id: model, currency, input, output }) => (
            <tr key={`${vendor} ${model}`}>
              <th scope="row">
                <Mono>{model}</Mono>
              </th>
              <td>{vendor}</td>
              <td>
                {input}/{output} {currency}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More number={total - SHOWN_MAX} text={t.unknownHelp} />
    </DrawerSection>
  );
}

function More({ number, text }: { readonly number: number; readonly text: string }) {
  const t = useImportTexts();
  return (
    <p className={css.note}>
      <Dim>
        {number > 0 && `${t.more(number)}. `}
        {text}
      </Dim>
    </p>
  );
}
