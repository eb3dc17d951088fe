import { type Command, stringOption } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, printPage, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

export const accountNote: Command = {
  name: 'account note',
  summary: 'List the notes of operators on an account, add one or delete one.',
  usage: '--account EMAIL [--add TEXT | --delete ID] [--json]',
  options: { ...ACCOUNT_OPTION, add: TEXT, delete: TEXT },
  help: [
    ACCOUNT_HELP,
    '--add TEXT       write down something about the account',
    '--delete ID      delete a note, see the list',
    JSON_HELP,
  ],
  run: (input) => {
    const [text, noteId] = [stringOption(input, 'add'), stringOption(input, 'delete')];
    return atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      if (text !== undefined) {
        const asked = { accountId, body: { text }, options: { text: 'add' } };
        const made = await terminal.data('accounts.addNote', asked);
        say(input, made, [`note ${made.id} added`]);
      } else if (noteId !== undefined) {
        const asked = { accountId, params: { note_id: noteId }, options: { note_id: 'delete' } };
        const done = await terminal.data('accounts.deleteNote', {
          ...asked,
          absent: 'there is no such note',
        });
        say(input, done, [`note ${noteId} deleted`]);
      } else {
        const columns = { ID: 'id', AT: 'created_at', AUTHOR: 'author', TEXT: 'text' };
        await printPage(input, terminal, { operation: 'accounts.listNotes', asked: { accountId }, columns });
      }
    });
  },
};
