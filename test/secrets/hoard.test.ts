import { expect, test } from 'vitest';
import { Hoard } from './hoard.ts';

const SECRET = 'sk-a "secret" text/with+odd characters?';

test.each([
  ['as it is', `before ${SECRET} after`],
  ['in JSON', JSON.stringify({ nested: { text: `x${SECRET}` } })],
  [
    'in JSON in JSON as hexadecimal',
    JSON.stringify({ bytes: `\\x00${Buffer.from(SECRET).toString('hex')}` }),
  ],
  ['in an address', `https://example.com/?key=${encodeURIComponent(SECRET)}`],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 behind something', Buffer.from(`user:${SECRET}:more`).toString('base64')],
  ['in base64url behind something', Buffer.from(`u:${SECRET}`).toString('base64url')],
])('a hidden text is found %s', (_how, text) => {
  const hoard = new Hoard();
  hoard.hide('secret', SECRET);
  hoard.search('here', text);
  expect(hoard.sightings).toHaveLength(1);
  hoard.search('where it may be', text, ['secret']);
  hoard.search('elsewhere', 'nothing of the kind');
  expect(hoard.sightings).toHaveLength(1);
});
