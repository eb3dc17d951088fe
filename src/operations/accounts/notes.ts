import type { Times } from '../../kernel/time/calendar.ts';
import {
  type AccountNote,
  addNoteAudited,
  listNotes,
  removeNoteAudited,
} from '../../store/operations/account-notes.ts';
import { accountExists } from '../../store/operations/operator-accounts.ts';
import { fail } from '../failure.ts';
import { ID, ID_PARAMS, nullable, PAGE_QUERY, readExcerpt, TIME, toPage } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { Type } from '../schema.ts';

const GROUP = { ...OPERATORS, tag: 'Accounts' } as const;

const NOTE = Type.Object({
  id: ID,
  text: Type.String(),
  author: nullable(Type.String({ description: 'The operator’s address. Null: the terminal.' })),
  created_at: TIME,
});
const NOTE_EXAMPLE = {
  ...{ id: 5, text: 'Contract of 1 November: rate 90, invoice monthly.', author: 'ops@example.com' },
  created_at: '2026-11-03 10:12:00',
};
const TEXT = Type.String({
  minLength: 1,
  maxLength: 4_000,
  pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
  form: 'a text of 1 to 4000 characters that is not blank',
});

const list = operation({
  ...GROUP,
  name: 'accounts.listNotes',
  id: 'listNotesOnAccount',
  method: 'GET',
  path: '/accounts/:id/notes',
  title: 'List notes on an account',
  summary: 'What operators wrote down about an account, newest first. Its owner never sees it.',
  params: ID_PARAMS,
  query: PAGE_QUERY,
  data: Type.Array(NOTE),
  paged: true,
  fails: ['notFound'],
  example: { data: [NOTE_EXAMPLE] },
  handle: async ({ params, query }, context) => {
    if (!(await accountExists(context.database, params.id))) return fail('notFound');
    const excerpt = readExcerpt(query);
    const { items, total } = await listNotes(context.database, params.id, excerpt);
    const rows = items.map((note) => shownNote(note, context));
    return toPage(rows, total, excerpt);
  },
});

const add: Operation = operation({
  ...GROUP,
  name: 'accounts.addNote',
  id: 'addNoteToAccount',
  method: 'POST',
  path: '/accounts/:id/notes',
  title: 'Add a note to an account',
  summary: 'Write down something about an account, for other operators.',
  params: ID_PARAMS,
  body: Type.Object({ text: TEXT }),
  data: NOTE,
  fails: ['notFound'],
  example: { body: { text: NOTE_EXAMPLE.text }, data: NOTE_EXAMPLE },
  handle: async ({ params, body }, context) => {
    const wanted = { accountId: params.id, text: body.text };
    const done = await addNoteAudited(context, wanted, toActor(context, add));
    return done.kind === 'not-found' ? fail('notFound') : data(shownNote(done.note, context));
  },
});

const remove: Operation = operation({
  ...GROUP,
  name: 'accounts.deleteNote',
  id: 'deleteNoteOnAccount',
  method: 'DELETE',
  path: '/accounts/:id/notes/:note_id',
  title: 'Delete a note on an account',
  summary: 'Delete a note. The audit log keeps its text.',
  params: Type.Object({ id: ID, note_id: ID }),
  data: Type.Object({}),
  fails: ['notFound'],
  example: { data: {} },
  handle: async ({ params }, context) => {
    const place = { accountId: params.id, noteId: params.note_id };
    const done = await removeNoteAudited(context, place, toActor(context, remove));
    return done.kind === 'not-found' ? fail('notFound') : data({});
  },
});

function shownNote({ id, text, author = '', createdAtMs }: AccountNote, { showTime }: Times): object {
  return { id, text, author: author === '' ? null : author, created_at: showTime(createdAtMs) };
}

/** Notes of operators on an account. */
export const noteOperations: readonly Operation[] = [list, add, remove];
