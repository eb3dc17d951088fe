import { expect, test } from 'vitest';
import { ACTOR, auditContext } from '../../../test/support/audit.ts';
import { accountWith } from '../../../test/support/calls.ts';
import { freshDatabase } from '../../../test/support/postgres.ts';
import { addNoteAudited, listNotes, removeNoteAudited } from './account-notes.ts';

test('notes belong to one account, the newest first, in pages', async () => {
  const fresh = await freshDatabase();
  try {
    const audit = auditContext(fresh.database);
    const [one, other] = [await accountWith(fresh.database), await accountWith(fresh.database)];
    for (const text of ['first', 'second']) await addNoteAudited(audit, { accountId: one, text }, ACTOR);
    expect(await addNoteAudited(audit, { accountId: 4711, text: 'x' }, ACTOR)).toEqual({ kind: 'not-found' });
    const page = await listNotes(fresh.database, one, { offset: 0, limit: 1 });
    expect(page).toMatchObject({ total: 2, items: [{ text: 'second', author: undefined }] });
    expect(await listNotes(fresh.database, other, { offset: 0, limit: 9 })).toEqual({ items: [], total: 0 });
    const noteId = page.items[0]?.id ?? 0;
    expect(await removeNoteAudited(audit, { accountId: other, noteId }, ACTOR)).toEqual({
      kind: 'not-found',
    });
    expect(await removeNoteAudited(audit, { accountId: one, noteId }, ACTOR)).toEqual({ kind: 'removed' });
    expect((await listNotes(fresh.database, one, { offset: 0, limit: 9 })).total).toBe(1);
  } finally {
    await fresh.drop();
  }
});
