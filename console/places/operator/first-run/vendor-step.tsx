import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Step } from '../../../parts/page/steps.tsx';
import { duration, written } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import css from './first-run.module.css';
import type { StoredKey } from './offer.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import type { Result } from './vendor-draft.ts';
import { VendorForm } from './vendor-form.tsx';

export interface VendorStepProps {
  readonly stored: StoredKey | undefined;
  /** There was a key before this visit. */
  readonly isKnown: boolean;
  readonly onStored: (key: StoredKey) => void;
}

export function VendorStep({ stored, isKnown, onStored }: VendorStepProps) {
  const { vendor: t } = useTexts({ en, zh });
  const [isAdding, setAdding] = useState(false);
  const [result, setResult] = useState<Result>();
  const isOpen = isAdding || (stored === undefined && !isKnown);
  const add = !isOpen && (
    <Button size="xs" onClick={() => setAdding(true)}>
      {t.another}
    </Button>
  );
  return (
    <Step number={2} state={isOpen ? 'on' : 'done'} title={t.title} right={add}>
      {!isOpen && <p>{stored === undefined ? t.known : t.stored(<b key="name">{stored.name}</b>)}</p>}
      {isOpen && (
        <VendorForm
          onResult={setResult}
          onStored={(key) => {
            setAdding(false);
            onStored(key);
          }}
        />
      )}
      {result !== undefined && <Checks result={result} />}
    </Step>
  );
}

/** What the one call has shown: the address, the key, the answer. */
function Checks({ result }: { readonly result: Result }) {
  const { vendor: t } = useTexts({ en, zh });
  const { ok, status, message, first_byte_ms: firstByteMs, duration_ms: durationMs } = result;
  const isAnswered = status !== null;
  const isAccepted = isAnswered && status !== 401 && status !== 403;
  const checks = [
    { name: t.checks.address, isGood: isAnswered, ms: firstByteMs },
    { name: t.checks.key, isGood: isAccepted, ms: undefined },
    { name: t.checks.call, isGood: ok, ms: durationMs },
  ];
  return (
    <>
      <ul className={css.checks} aria-label={t.checks.label}>
        {checks.map(({ name, isGood, ms }) => (
          <li key={name.good} className={isGood ? css.good : css.bad}>
            <Icon name={isGood ? 'check' : 'x'} size={14} />
            <span>{isGood ? name.good : name.bad}</span>
            {isGood && ms != null && <small>{written(duration(ms))}</small>}
          </li>
        ))}
      </ul>
      {!ok && <ErrorNote cause={t.refused(status)} remedy={message ?? ''} />}
    </>
  );
}
