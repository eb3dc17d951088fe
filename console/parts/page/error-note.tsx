import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { CopyButton } from '../text/copy-button.tsx';
import { Mono, Sub } from '../text/text.tsx';
import { usePartTexts } from '../texts.ts';
import { Banner } from './banner.tsx';

export interface ErrorNoteProps {
  /** What could not be done: “Usage could not be read.” */
  readonly cause: ReactNode;
  /** What to do about it. */
  readonly remedy?: ReactNode;
  readonly requestId?: string | undefined;
  readonly onRetry?: (() => void) | undefined;
  readonly retrying?: boolean | undefined;
}

export function ErrorNote({ cause, remedy, requestId, onRetry, retrying }: ErrorNoteProps) {
  const t = usePartTexts();
  const retry = onRetry !== undefined && (
    <Button size="xs" pending={retrying} onClick={onRetry}>
      {t.tryAgain}
    </Button>
  );
  return (
    <Banner tone="bad" action={retry}>
      {cause} {remedy}{' '}
      {requestId !== undefined && requestId !== '' && (
        <>
          <Sub>
            <Mono>{requestId}</Mono>
          </Sub>{' '}
          <CopyButton text={requestId} />
        </>
      )}
    </Banner>
  );
}
