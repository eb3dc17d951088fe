import type { ReactNode } from 'react';
import { type ApiError, type Row as ApiRow, type Output, useApi } from '../../api/api.ts';
import { Icon } from '../../parts/icons/icon.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { duration, written } from '../../parts/text/format.ts';
import { Dim } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './credentials.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface TestedProps {
  readonly test: {
    readonly isPending: boolean;
    readonly error: ApiError | null;
    readonly data: Output<'testCredential'> | undefined;
  };
  readonly vendor: ApiRow<'listVendorsForByokCredentials'> | undefined;
  /** Something was changed since the test. */
  readonly isStale: boolean;
}

/** What one minimal call to the vendor said, and which models the key would serve. */
export function Tested({ test, vendor, isStale }: TestedProps) {
  const t = useTexts({ en, zh });
  const result = test.data?.data;
  if (test.isPending) return <SkeletonLines lines={2} />;
  if (isStale || (result === undefined && test.error === null))
    return <p className={css.hint}>{t.testFirst}</p>;
  if (result === undefined) {
    return (
      <ul className={css.tests}>
        <Line tone="bad" title={t.notTested} note={test.error?.message} />
      </ul>
    );
  }
  const took = written(duration(result.latency_ms));
  if (!result.ok) {
    return (
      <ul className={css.tests}>
        <Line
          tone="bad"
          title={result.status === null ? t.noAnswer : t.refusedWith(result.status)}
          note={result.message ?? t.refusedHow}
          right={took}
        />
      </ul>
    );
  }
  return (
    <ul className={css.tests}>
      <Line tone="ok" title={t.keyAccepted} note={t.callSucceeded} right={took} />
      <Served vendor={vendor} />
    </ul>
  );
}

function Served({ vendor }: Pick<TestedProps, 'vendor'>) {
  const t = useTexts({ en, zh });
  const models = useApi('listPrices', {}).data?.data.models ?? [];
  const served = [
    ...new Set(
      models.filter(({ vendor_code: code }) => code === vendor?.vendor_code).map(({ model_id: id }) => id),
    ),
  ];
  return (
    <Line
      tone={served.length === 0 ? 'warn' : 'ok'}
      title={t.served(served.length)}
      note={served.length === 0 ? t.servesNothing : served.join(', ')}
    />
  );
}

interface LineProps {
  readonly tone: 'ok' | 'warn' | 'bad';
  readonly title: ReactNode;
  readonly note?: ReactNode;
  readonly right?: ReactNode;
}

function Line({ tone, title, note, right }: LineProps) {
  return (
    <li className={css[tone]}>
      <Icon name={tone === 'ok' ? 'check' : 'alert'} size={14} />
      <span>
        {title}
        <small>{note}</small>
      </span>
      <Dim>{right}</Dim>
    </li>
  );
}
