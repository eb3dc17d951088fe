import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { useProfile } from '../../../app/session.ts';
import { CodeBlock } from '../../../parts/code/code-block.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { Step, Steps } from '../../../parts/page/steps.tsx';
import { useTexts } from '../../../texts/language.ts';
import { SetUpFrame } from '../../setup/set-up-frame.tsx';
import { WhereItStands } from '../../setup/where-it-stands.tsx';
import { CallStep } from './call-step.tsx';
import css from './first-run.module.css';
import { ModelsStep } from './models-step.tsx';
import { catalogueOf, type OfferRow, type StoredKey } from './offer.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { VendorStep } from './vendor-step.tsx';

/** From an operator to the first call. What is done already, also in an earlier visit, is not asked again. */
export function FirstRun() {
  const t = useTexts({ en, zh });
  const email = useProfile()?.email ?? '';
  const [stored, setStored] = useState<StoredKey>();
  const [rows, setRows] = useState<readonly OfferRow[]>();
  const [offered, setOffered] = useState<string>();
  const routes = useApi('listRoutes', { query: { size: 100 } });
  const known = routes.data?.data.find(
    ({ status, protocols }) => status === 'enabled' && !isOfPictures(protocols),
  );
  const model = offered ?? (stored === undefined ? known?.model_id : undefined);
  return (
    <SetUpFrame
      aside={
        <>
          <WhereItStands />
          {stored !== undefined && rows !== undefined && <AsCode stored={stored} rows={rows} />}
        </>
      }
    >
      <Steps>
        <Step number={1} state="done" title={t.operator.title}>
          <p>{t.operator.text(<b key="email">{email}</b>)}</p>
        </Step>
        {routes.isPending ? (
          <li>
            <SkeletonLines lines={6} />
          </li>
        ) : (
          <>
            <VendorStep
              stored={stored}
              isKnown={model !== undefined}
              onStored={(key) => {
                setStored(key);
                setRows(undefined);
                setOffered(undefined);
              }}
            />
            <ModelsStep stored={stored} rows={rows} onRows={setRows} offered={model} onOffered={setOffered} />
            <CallStep model={model} />
          </>
        )}
      </Steps>
    </SetUpFrame>
  );
}

function isOfPictures(protocols: readonly string[] | null): boolean {
  return protocols?.every((each) => each === 'images' || each === 'videos') === true;
}

function AsCode({ stored, rows }: { readonly stored: StoredKey; readonly rows: readonly OfferRow[] }) {
  const { code: t } = useTexts({ en, zh });
  return (
    <section>
      <h2>{t.title}</h2>
      <p className={css.fine}>{t.text}</p>
      <CodeBlock
        samples={[{ key: 'yaml', label: 'YAML', language: 'yaml', code: catalogueOf(stored, rows) }]}
        title="catalog.yaml"
      />
    </section>
  );
}
