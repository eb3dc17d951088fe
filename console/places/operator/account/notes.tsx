import { useState } from 'react';
import { type Row, useApi, useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Textarea } from '../../../parts/form/input.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section, Stack } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Pages, ReadError, WriteError } from '../shared.tsx';
import css from './account.module.css';
import type { Account } from './data.ts';
import { operatorAccountRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Note = Row<'listNotesOnAccount'>;

const CHANGED = ['listNotesOnAccount', 'listAuditEntries'] as const;

/** What operators should know of this account. Its user never sees it. */
export function Notes({ account: { id } }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const { page = 1 } = operatorAccountRoute.useSearch();
  const navigate = operatorAccountRoute.useNavigate();
  const list = useApi('listNotesOnAccount', { params: { id }, query: { page, size: 20 } });
  const write = useApiWrite('addNoteToAccount', CHANGED);
  const [text, setText] = useState('');
  const add = () =>
    write.mutate({ params: { id }, body: { text: text.trim() } }, { onSuccess: () => setText('') });
  const rows = list.data?.data;
  return (
    <Section title={t.tabs.notes} note={t.notes.note}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '' && !write.isPending) add();
        }}
      >
        <Stack>
          <Field label={t.notes.text}>
            <Textarea rows={3} value={text} onChange={(event) => setText(event.target.value)} />
          </Field>
          <WriteError error={write.error} />
          <div>
            <Button type="submit" disabled={text.trim() === ''} pending={write.isPending}>
              {t.notes.add}
            </Button>
          </div>
        </Stack>
      </form>
      <ReadError query={list} />
      {list.isPending && <SkeletonLines lines={3} />}
      {rows?.length === 0 && <Empty plain title={t.notes.none} />}
      {rows?.map((note) => (
        <OneNote key={note.id} accountId={id} note={note} />
      ))}
      <Pages
        answer={list.data}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </Section>
  );
}

interface OneNoteProps {
  readonly accountId: number;
  readonly note: Note;
}

export function OneNote({ accountId, note }: OneNoteProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('deleteNoteOnAccount', CHANGED);
  const remove = () => write.mutate({ params: { id: accountId, note_id: note.id } });
  return (
    <article className={css.note}>
      <p>{note.text}</p>
      <footer>
        <span>{note.author ?? t.terminal}</span>
        <Time at={note.created_at} />
        <Button size="xs" variant="ghost" pending={write.isPending} onClick={remove}>
          {t.notes.delete}
        </Button>
      </footer>
      <WriteError error={write.error} />
    </article>
  );
}
