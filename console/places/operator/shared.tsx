import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Stack } from '../../parts/page/layout.tsx';
import { Pager } from '../../parts/page/pager.tsx';
import { count } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { en } from './shared.texts.en.ts';
import { zh } from './shared.texts.zh.ts';

export interface PagesProps {
  readonly answer: { readonly total: number; readonly page: number; readonly size: number } | undefined;
  readonly onPage: (page: number) => void;
}

/** What part of a long list is shown, and the way to the rest. */
export function Pages({ answer, onPage }: PagesProps) {
  const t = useTexts({ en, zh });
  if (answer === undefined || answer.total === 0) return null;
  const { total, page, size } = answer;
  const to = Math.min(total, page * size);
  return (
    <Pager
      onNewer={page > 1 ? () => onPage(page - 1) : undefined}
      onOlder={to < total ? () => onPage(page + 1) : undefined}
    >
      {t.shown(count((page - 1) * size + 1), count(to), count(total))}
    </Pager>
  );
}

/** Why a list cannot be shown, while nothing of it is known. */
export function ReadError({ query }: { readonly query: UseQueryResult<unknown, ApiError> }) {
  const t = useTexts({ en, zh });
  if (!query.isError || query.data !== undefined) return null;
  return (
    <ErrorNote
      cause={t.cannotRead}
      requestId={query.error.requestId}
      onRetry={() => void query.refetch()}
      retrying={query.isFetching}
    />
  );
}

/** Why a write was refused, in the words of the server. */
export function WriteError({ error }: { readonly error: ApiError | null }) {
  const t = useTexts({ en, zh });
  if (error === null) return null;
  const cause = error.isPassing ? t.noAnswer : t.refused;
  return <ErrorNote cause={cause} remedy={error.message} requestId={error.requestId} />;
}

export interface AskProps {
  readonly title: ReactNode;
  /** The word on the button that acts. */
  readonly action: string;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  readonly pending: boolean;
  readonly error: ApiError | null;
  readonly isReady?: boolean | undefined;
  /** Red: it takes something away. */
  readonly danger?: boolean | undefined;
  readonly children: ReactNode;
}

/** A dialog with a form and one decision. What was typed stays when it is refused. */
export function Ask(props: AskProps) {
  const { title, action, onClose, onSubmit, pending, error, isReady = true, danger, children } = props;
  const t = useTexts({ en, zh });
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      onSubmit={() => {
        if (isReady && !pending) onSubmit();
      }}
      foot={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button
            variant={danger === true ? 'solid' : 'primary'}
            type="submit"
            disabled={!isReady}
            pending={pending}
          >
            {action}
          </Button>
        </>
      }
    >
      <Stack gap={16}>
        {children}
        <WriteError error={error} />
      </Stack>
    </Dialog>
  );
}
