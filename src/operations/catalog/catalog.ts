import { ENTRY_KINDS, type EntryKind } from '../../catalog/entries.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';
import {
  type Changed,
  changeSettings,
  createCatalogEntry,
  deleteCatalogEntry,
  type EntryPlace,
  type EntryRefusal,
  findCatalogEntry,
  findSettings,
  listCatalogEntries,
  updateCatalogEntry,
} from '../../store/catalog/change.ts';
import { fail } from '../failure.ts';
import { ID, pageQuery, readExcerpt, toPage } from '../fields.ts';
import { type Answer, data, type Operation, operation } from '../operation.ts';
import { OPERATORS, toActor } from '../operator.ts';
import { type TObject, Type } from '../schema.ts';
import { ENTRY_EXAMPLES } from './catalog-examples.ts';
import { createSchema, SETTINGS, SETTINGS_CHANGE, shownSchema, updateSchema } from './catalog-schema.ts';
import { freedFailure } from './confirm-free.ts';

/** The word for an entry in sentences, and the name of its key in paths. */
const KINDS: Readonly<Record<EntryKind, { readonly one: string; readonly param: string }>> = {
  vendors: { one: 'vendor', param: 'code' },
  credentials: { one: 'credential', param: 'id' },
  models: { one: 'model', param: 'model_id' },
  routes: { one: 'route', param: 'id' },
  policies: { one: 'policy', param: 'id' },
  plans: { one: 'plan', param: 'code' },
  nodes: { one: 'node', param: 'name' },
  announcements: { one: 'announcement', param: 'id' },
};

const GROUP = { ...OPERATORS, tag: 'Catalogue' } as const;

function capital(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function aOrAn(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function toParamsSchema(kind: EntryKind): TObject {
  const { param } = KINDS[kind];
  return Type.Object({ [param]: param === 'id' ? ID : Type.String({ minLength: 1, maxLength: 256 }) });
}

function toEntryPlace(kind: EntryKind, params: object): EntryPlace {
  return { kind, key: String((params as Record<string, unknown>)[KINDS[kind].param]) };
}

function toListOperation(kind: EntryKind): Operation {
  return operation({
    ...GROUP,
    name: `${kind}.list`,
    id: `list${capital(kind)}`,
    method: 'GET',
    path: `/${kind}`,
    title: `List ${kind}`,
    summary: `The ${kind} of the catalogue, in pages.`,
    query: pageQuery({
      search: Type.Optional(
        Type.String({
          maxLength: 256,
          description: 'Only entries that contain this text in one of their fields.',
        }),
      ),
    }),
    data: Type.Array(shownSchema(kind)),
    paged: true,
    example: { data: [ENTRY_EXAMPLES[kind].shown] },
    handle: async ({ query }, context) => {
      const excerpt = readExcerpt(query);
      const found = matching(await listCatalogEntries(context, kind), query.search ?? '');
      return toPage(found.slice(excerpt.offset, excerpt.offset + excerpt.limit), found.length, excerpt);
    },
  });
}

/** The text is searched literally. The shown part of a secret is not searched. */
function matching(entries: readonly EntryJson[], search: string): readonly EntryJson[] {
  const wanted = search.toLowerCase();
  if (wanted === '') return entries;
  return entries.filter(({ secret: _hidden, ...seen }) =>
    Object.values(seen).some((value) => typeof value === 'string' && value.toLowerCase().includes(wanted)),
  );
}

function toGetOperation(kind: EntryKind): Operation {
  const { one, param } = KINDS[kind];
  return operation({
    ...GROUP,
    name: `${kind}.get`,
    id: `get${capital(KINDS[kind].one)}`,
    method: 'GET',
    path: `/${kind}/:${param}`,
    title: `Get ${aOrAn(one)}`,
    summary: `One ${one} of the catalogue.`,
    params: toParamsSchema(kind),
    data: shownSchema(kind),
    fails: ['notFound'],
    example: { data: ENTRY_EXAMPLES[kind].shown },
    handle: async ({ params }, context) => {
      const entry = await findCatalogEntry(context, toEntryPlace(kind, params));
      return entry === undefined ? fail('notFound') : data(entry);
    },
  });
}

function toCreateOperation(kind: EntryKind): Operation {
  const name = `${kind}.create`;
  const one = aOrAn(KINDS[kind].one);
  return operation({
    ...GROUP,
    name,
    id: `create${capital(KINDS[kind].one)}`,
    method: 'POST',
    path: `/${kind}`,
    title: `Create ${one}`,
    summary: `Create ${one}. It is in force on all nodes when this request returns.`,
    body: createSchema(kind),
    data: shownSchema(kind),
    fails: ['conflict'],
    example: { body: ENTRY_EXAMPLES[kind].made, data: ENTRY_EXAMPLES[kind].shown },
    handle: async ({ body }, context) =>
      answer(await createCatalogEntry(context, kind, body, toActor(context, { name }))),
  });
}

function toUpdateOperation(kind: EntryKind): Operation {
  const { one, param } = KINDS[kind];
  const name = `${kind}.update`;
  const { made } = ENTRY_EXAMPLES[kind];
  const changeable = updateSchema(kind).properties;
  const example = Object.entries(made).filter(([field]) => Object.hasOwn(changeable, field));
  return operation({
    ...GROUP,
    name,
    id: `update${capital(KINDS[kind].one)}`,
    method: 'PUT',
    path: `/${kind}/:${param}`,
    title: `Update ${aOrAn(one)}`,
    summary: `Change ${aOrAn(one)}. Absent fields stay as they are, also inside objects. Null removes a value.`,
    params: toParamsSchema(kind),
    body: updateSchema(kind),
    data: shownSchema(kind),
    fails: ['notFound'],
    example: { body: Object.fromEntries(example), data: ENTRY_EXAMPLES[kind].shown },
    handle: async ({ params, body }, context) => {
      const place = toEntryPlace(kind, params);
      return answer(await updateCatalogEntry(context, place, body, toActor(context, { name })));
    },
  });
}

function toDeleteOperation(kind: EntryKind): Operation {
  const { one, param } = KINDS[kind];
  const name = `${kind}.delete`;
  return operation({
    ...GROUP,
    name,
    id: `delete${capital(KINDS[kind].one)}`,
    method: 'DELETE',
    path: `/${kind}/:${param}`,
    title: `Delete ${aOrAn(one)}`,
    summary: `Delete ${aOrAn(one)} that is not in use.`,
    params: toParamsSchema(kind),
    data: Type.Object({}),
    fails: ['notFound', 'conflict'],
    example: { data: {} },
    handle: async ({ params }, context) => {
      const removed = await deleteCatalogEntry(
        context,
        toEntryPlace(kind, params),
        toActor(context, { name }),
      );
      return removed.kind === 'removed' ? data({}) : refusal(removed);
    },
  });
}

const SETTINGS_EXAMPLE = {
  system_rate: '100',
  defaults: { policy: 1, user_rate: '100', api_billing: true, auto_exchange: false },
  verification_grants: { personal: '1000', enterprise: '5000' },
};

const settings = operation({
  ...GROUP,
  name: 'settings.get',
  id: 'getSettings',
  method: 'GET',
  path: '/settings',
  title: 'Get settings',
  summary: 'The system rate, the defaults of new accounts, and the grants of verifications.',
  data: SETTINGS,
  example: { data: SETTINGS_EXAMPLE },
  handle: async (_input, context) => data(await findSettings(context)),
});

const updateSettings: Operation = operation({
  ...GROUP,
  name: 'settings.update',
  id: 'updateSettings',
  method: 'PUT',
  path: '/settings',
  title: 'Update settings',
  summary: 'Change the settings. Absent fields stay as they are.',
  body: SETTINGS_CHANGE,
  data: SETTINGS,
  example: { body: { system_rate: '100' }, data: SETTINGS_EXAMPLE },
  handle: async ({ body }, context) =>
    answer(await changeSettings(context, body, toActor(context, updateSettings))),
});

function answer(result: Changed | EntryRefusal): Answer {
  return result.kind === 'changed' ? data(result.entry) : refusal(result);
}

/** The number of uses of an entry that a message names, enough to find them. */
const USERS_NAMED_MAX = 5;

function refusal(refused: EntryRefusal): Answer {
  if (refused.kind === 'not-found') return fail('notFound');
  if (refused.kind === 'invalid') return fail('badParameter', refused.problem);
  if (refused.kind === 'freed') return freedFailure(refused.freed);
  if (refused.kind === 'exists') return fail('conflict', 'An entry with this key already exists');
  const named = refused.by.slice(0, USERS_NAMED_MAX).join(', ');
  const more = refused.by.length - USERS_NAMED_MAX;
  return fail('conflict', `The entry is in use by ${named}${more > 0 ? ` and ${more} more` : ''}`);
}

/** For each kind of entry: list, get, create, update, delete; and the settings. */
export const catalogOperations: readonly Operation[] = [
  ...ENTRY_KINDS.flatMap((kind) => [
    toListOperation(kind),
    toGetOperation(kind),
    toCreateOperation(kind),
    toUpdateOperation(kind),
    toDeleteOperation(kind),
  ]),
  settings,
  updateSettings,
];
