import { expect, test } from 'vitest';
import { groupsOf, moveRoute, priorityOf, stepRoute } from '../model/priorities.ts';
import { entryText, nextId, readDocument, withEntryText, withField, writeDocument } from './document.ts';
import { draftOf, editsBetween, keepMine, putEdit, rebase, withEdits, withoutSecrets } from './draft.ts';

const TEXT = `system_rate: "100"
credentials:
  - name: main
    vendor: openai
models:
  - model_id: gpt-5
    prices: { input: "10", output: "30" }
    routes:
      - { vendor: openai, credential: main }
  - model_id: "100"
    name: "costs $\${TEN}"
policies: []
`;
const BASE = readDocument(TEXT);
const GPT = {
  model_id: 'gpt-5',
  prices: { input: '10', output: '30' },
  routes: [{ vendor: 'openai', credential: 'main' }],
};

test('a text that looks like a variable is read, and written back escaped', () => {
  expect(BASE.models).toMatchObject([{}, { name: `costs ${'$'}{TEN}` }]);
  expect(writeDocument(BASE)).toContain('costs $${TEN}');
  expect(nextId(BASE, 'policies')).toBe(1);
});

test('an entry that is again as it was is no change', () => {
  const dearer = putEdit(BASE, [], {
    kind: 'models',
    key: 'gpt-5',
    after: withField(GPT, 'prices', { input: '11' }),
  });
  expect(dearer).toHaveLength(1);
  expect(withEdits(BASE, dearer)).toMatchObject({ models: [{ prices: { input: '11' } }, {}] });
  expect(putEdit(BASE, dearer, { kind: 'models', key: 'gpt-5', after: GPT })).toEqual([]);
});

test('entries come, go and change; settings, too', () => {
  const after = { ...BASE, system_rate: '90', models: [GPT], policies: [{ id: 1, name: 'new' }] };
  const edits = editsBetween(BASE, after);
  expect(edits.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'settings system_rate',
    'models 100',
    'policies 1',
  ]);
  expect(withEdits(BASE, edits)).toEqual(after);
});

test('changes are placed on a newer catalogue, and one that meets another is a conflict', () => {
  const edits = putEdit(BASE, [], { kind: 'models', key: 'gpt-5', after: { ...GPT, name: 'Mine' } });
  const elsewhere = { ...BASE, system_rate: '90' };
  expect(rebase(elsewhere, edits)).toEqual({ edits, conflicts: [] });
  const theirs = withEdits(BASE, [
    { kind: 'models', key: 'gpt-5', before: GPT, after: { ...GPT, name: 'Theirs' } },
  ]);
  const { conflicts } = rebase(theirs, edits);
  expect(conflicts).toEqual(edits);
  const kept = keepMine(theirs, edits, edits[0] as never);
  expect(rebase(theirs, kept)).toEqual({ edits: kept, conflicts: [] });
  expect(rebase(withEdits(BASE, edits), edits).edits).toEqual([]);
});

test('a secret of a typed file is applied, but not kept', () => {
  const typed = { ...BASE, credentials: [{ name: 'main', vendor: 'openai', secret: 'sk-1' }] };
  const draft = draftOf(BASE, BASE, typed);
  expect(draft).toMatchObject([{ kind: 'credentials', after: { secret: 'sk-1' } }]);
  expect(withoutSecrets(draft)).not.toContain('sk-1');
});

test('one entry is taken from the text and put back', () => {
  expect(entryText(TEXT, 'models', '100')).toBe('model_id: "100"\nname: "costs $${TEN}"');
  const made = withEntryText(TEXT, { kind: 'models', key: 'gpt-5', typed: 'model_id: gpt-5\nname: New' });
  expect(made?.text).toContain('models:\n  - model_id: gpt-5\n    name: New\n  - model_id: "100"');
  expect(made?.before).toBe(5);
  expect(withEntryText(TEXT, { kind: 'models', key: 'none', typed: '' })).toBeUndefined();
});

const route = (credential: string, priority?: number) => ({
  credential,
  ...(priority !== undefined && { priority }),
});
const order = (routes: readonly Record<string, unknown>[] | undefined) =>
  groupsOf(routes ?? []).map(({ routes: group }) => group.map(({ credential }) => credential).join('+'));

test('a route is moved step by step through the priorities', () => {
  const [a, b, c] = [route('a'), route('b'), route('c', 200)];
  const apart = stepRoute([a, b, c], b, 1);
  expect(order(apart)).toEqual(['a', 'b', 'c']);
  const moved = apart?.find(({ credential }) => credential === 'b') ?? {};
  expect(priorityOf(moved)).toBe(150);
  expect(order(stepRoute(apart ?? [], moved, 1))).toEqual(['a', 'b+c'].toSorted());
  expect(stepRoute([a], a, -1)).toBeUndefined();
  expect(order(stepRoute([a, b], a, -1))).toEqual(['a', 'b']);
});

test('where no number is free between two priorities, all are numbered anew', () => {
  const [a, b, c] = [route('a', 1), route('b', 2), route('c', 2)];
  const moved = moveRoute([a, b, c], c, { group: 1, place: 'before' });
  expect(order(moved)).toEqual(['a', 'c', 'b']);
});
