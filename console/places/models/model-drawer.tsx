import { convertedFrom, PROTOCOLS } from '../../api/protocols.ts';
import { useProfile } from '../../app/session.ts';
import { useSettings } from '../../app/settings.ts';
import { LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code/code-block.tsx';
import { FactList } from '../../parts/figures/facts.tsx';
import { Drawer, DrawerSection } from '../../parts/overlay/drawer.tsx';
import { count } from '../../parts/text/format.ts';
import { VendorMark } from '../../parts/text/status.tsx';
import { useTexts } from '../../texts/language.ts';
import { isPaidByTokens, type Model, type Prices, playgroundSearch } from './catalogue.ts';
import { Measured, Wait } from './columns.tsx';
import css from './models.module.css';
import { PriceTable } from './price-table.tsx';
import { snippetOf } from './snippet.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { WhyNot } from './why-not.tsx';

export interface ModelDrawerProps {
  readonly model: Model;
  readonly rates: Prices | undefined;
  readonly onClose: () => void;
}

export function ModelDrawer({ model, rates, onClose }: ModelDrawerProps) {
  const t = useTexts({ en, zh });
  const isSignedIn = useProfile() !== undefined;
  const base = useSettings()?.base_url ?? window.location.origin;
  const { first } = model;
  const playground = playgroundSearch(model);
  return (
    <Drawer
      label={model.name}
      size="narrow"
      onClose={onClose}
      title={
        <span className={css.head}>
          <VendorMark name={first.vendor_name} />
          {model.name}
        </span>
      }
      foot={
        isSignedIn && first.refusal === null && playground !== undefined ? (
          <LinkButton to="/playground" search={playground as never} icon="chat">
            {t.openPlayground}
          </LinkButton>
        ) : undefined
      }
    >
      {first.refusal !== null && (
        <DrawerSection>
          <WhyNot model={model} />
        </DrawerSection>
      )}
      {rates !== undefined &&
        model.routes.map((route, at) => (
          <PriceTable key={route.route_id} route={route} rates={rates} at={at} of={model.routes.length} />
        ))}
      {rates !== undefined && (
        <DrawerSection title={t.ratesTitle}>
          <div className={css.how}>
            {model.routes.length > 1 && <p>{t.routesHow(model.routes.length)}</p>}
            {t.ratesHow.map((line) => (
              <p key={line}>{line}</p>
            ))}
          </div>
        </DrawerSection>
      )}
      <DrawerSection title={t.speedTitle} note={t.speedNote}>
        <FactList
          facts={[
            { name: t.firstToken, value: <Wait ms={model.firstTokenMs} /> },
            {
              name: t.afterFirst,
              value:
                model.tokensPerSecond === null ? (
                  '–'
                ) : (
                  <Measured speed={model.tokensPerSecond} unit={t.perSecond} />
                ),
            },
          ]}
        />
      </DrawerSection>
      <Spoken model={model} />
      <DrawerSection title={t.call}>
        <CodeBlock title={t.terminal} samples={[snippetOf(model, base)]} />
      </DrawerSection>
    </Drawer>
  );
}

/** The protocols that are passed through, and those that are converted. */
function Spoken({ model }: { readonly model: Model }) {
  const t = useTexts({ en, zh });
  const { first, routes } = model;
  const own = PROTOCOLS.filter((name) => routes.some(({ protocols }) => protocols.includes(name)));
  const words = (names: readonly (typeof PROTOCOLS)[number][]) =>
    names.length === 0 ? '–' : names.map((name) => t.protocols[name]).join(', ');
  const tokens = (size: number | null) => (size === null ? '–' : count(size));
  return (
    <DrawerSection title={t.spoken}>
      <FactList
        facts={[
          { name: t.untouched, value: words(own) },
          { name: t.converted, value: isPaidByTokens(model) ? words(convertedFrom(own)) : '–' },
          { name: t.takes, value: first.support_features.map((name) => t.features[name]).join(', ') },
          { name: t.contextWindow, value: tokens(first.context_window) },
          { name: t.mostOutput, value: tokens(first.max_output_tokens) },
        ]}
      />
    </DrawerSection>
  );
}
