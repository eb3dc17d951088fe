import { useState } from 'react';
import { Button } from '../../../../parts/button.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { ConfirmFree } from '../../confirm-free.tsx';
import css from '../catalogue.module.css';
import { type Texts, useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { type Comparison, useApply, type useComparison } from '../use-catalogue.ts';
import { useChangeCount } from './what-it-does.tsx';

interface ChangesFootProps {
  readonly page: CataloguePageProps;
  readonly compared: ReturnType<typeof useComparison>;
  readonly onApplied: () => void;
}

const CONFLICT = 1005;

function download(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  link.download = 'catalog.yaml';
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Takes the changes into force, or away as a file. */
export function ChangesFoot({ page, compared, onApplied }: ChangesFootProps) {
  const t = useCatalogueTexts();
  const [isAsking, setAsking] = useState(false);
  const { catalogue } = page;
  const { apply, error, isPending, reset } = useApply();
  const { data: comparison, isCurrent } = compared;
  const number = useChangeCount(page);
  const isReady = isCurrent && comparison !== undefined && comparison.changes.length > 0;
  const isBlocked = catalogue.conflicts.length > 0;
  const freed = comparison?.freed ?? [];
  const applyNow = () => {
    if (comparison === undefined) return;
    setAsking(false);
    apply(catalogue, { text: comparison.text, isFreeConfirmed: freed.length > 0 }, onApplied);
  };
  return (
    <div className={css.foot}>
      {error !== null && error !== undefined && (
        <Banner tone={error.code === CONFLICT ? 'warn' : 'bad'} onDismiss={reset}>
          {error.code === CONFLICT ? t.conflict.moved(catalogue.version) : t.changes.notDone} {error.message}
        </Banner>
      )}
      <div className={css.footRow}>
        <Button
          icon="download"
          disabled={comparison === undefined || comparison.text === ''}
          onClick={() => comparison !== undefined && download(comparison.text)}
        >
          YAML
        </Button>
        <Button
          variant="primary"
          pending={isPending}
          disabled={!isReady || isBlocked}
          onClick={() => (freed.length > 0 ? setAsking(true) : applyNow())}
        >
          {t.changes.apply(number)}
        </Button>
      </div>
      {isAsking && (
        <ConfirmFree
          {...{ name: nameOf(freed, t), lines: freed.map(({ text }) => text), pending: isPending }}
          onConfirm={() => isReady && !isBlocked && applyNow()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** The entry whose prices they are; of several entries, how many prices. */
function nameOf(freed: Comparison['freed'], t: Texts): string {
  const [first, ...others] = new Set(freed.map(({ key }) => key));
  return first !== undefined && others.length === 0 ? first : t.changes.prices(freed.length);
}
