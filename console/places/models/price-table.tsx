import { Fragment } from 'react';
import { DrawerSection } from '../../parts/overlay/drawer.tsx';
import { money } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { factorOf, type Prices, type Route } from './catalogue.ts';
import css from './models.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const TOKEN_PRICES = ['input_price', 'output_price', 'cache_input_price', 'cache_write_price'] as const;

export interface PriceTableProps {
  readonly route: Route;
  readonly rates: Prices;
  readonly at: number;
  readonly of: number;
}

/** List price × rates = own price: each figure as the server sent it. */
export function PriceTable({ route, rates, at, of }: PriceTableProps) {
  const t = useTexts({ en, zh });
  const shown = [
    ...((route.billing_modes & 1) === 0 ? [] : TOKEN_PRICES),
    ...((route.billing_modes & 2) === 0 ? [] : (['image_price'] as const)),
    ...((route.billing_modes & 4) === 0 ? [] : (['video_price'] as const)),
  ];
  const title = of === 1 ? t.yourPrice : t.routePrice(at + 1, route.vendor_name);
  return (
    <DrawerSection title={title} note={(route.billing_modes & 1) === 0 ? undefined : t.perMillionTokens}>
      <table className={css.prices} aria-label={title}>
        <thead>
          <tr>
            <td />
            <th scope="col">{t.list}</th>
            <th scope="col">{t.rates}</th>
            <th scope="col">{t.youPay}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((name) => (
            <tr key={name}>
              <th scope="row">{t.prices[name]}</th>
              <td>{money(route[name])}</td>
              <td>× {route.factor}</td>
              <td>
                <b>{money(route.own[name])}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Factors route={route} rates={rates} />
      {route.batch_rate !== 100 && <p className={css.batch}>{t.inBatch(factorOf(route.batch_rate))}</p>}
    </DrawerSection>
  );
}

function Factors({ route, rates }: Pick<PriceTableProps, 'route' | 'rates'>) {
  const t = useTexts({ en, zh });
  const factors = [
    { name: t.factors.model, factor: String(route.rate_multiplier) },
    { name: t.factors.platform, factor: factorOf(rates.system_rate) },
    { name: t.factors.yours, factor: factorOf(rates.user_rate) },
    { name: t.factors.vendor, factor: factorOf(route.vendor_rate) },
    { name: t.factors.credential, factor: factorOf(route.credential_rate) },
    { name: t.factors.node, factor: factorOf(rates.node_rate) },
  ];
  return (
    <div className={css.factors}>
      {factors.map(({ name, factor }, at) => (
        <Fragment key={name}>
          {at > 0 && <i>×</i>}
          <span className={factor === '1' ? css.one : undefined}>
            {factor}
            <small>{name}</small>
          </span>
        </Fragment>
      ))}
      <span>
        <i>=</i> {route.factor}
      </span>
    </div>
  );
}
