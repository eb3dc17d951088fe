import type { Capabilities } from '../../kernel/capability.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from './content/json.ts';
import type { Notes } from './notes.ts';
import type { HubRequest, SearchOption, WebSearch } from './request.ts';

/** A protocol's names for the options of a search. Options without a name are reported as lost. */
export type SearchNames = Partial<Readonly<Record<SearchOption, string>>>;

const PLACE_FIELDS = ['city', 'region', 'country', 'timezone'] as const;

/** Decodes a client's search tool. `more` are fields that do not affect the search. */
export function decodeSearch(
  tool: JsonObject,
  path: string,
  names: SearchNames,
  notes: { readonly notes: Notes; readonly more: readonly string[] },
): WebSearch {
  notes.notes.dropOthers(tool, new Set([...Object.values(names), ...notes.more]), path);
  const read = (option: SearchOption): JsonValue | undefined => {
    const name = names[option];
    return name === undefined ? undefined : (tool[name] ?? undefined);
  };
  const [size, uses, location] = [read('contextSize'), read('maxUses'), read('location')];
  return {
    path,
    names,
    contextSize: typeof size === 'string' ? size : undefined,
    allowedDomains: findTexts(read('allowedDomains')),
    blockedDomains: findTexts(read('blockedDomains')),
    maxUses: typeof uses === 'number' ? uses : undefined,
    location: isObject(location) ? findLocation(location) : undefined,
  };
}

function findTexts(value: JsonValue | undefined): readonly string[] | undefined {
  const texts = isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  return texts.length === 0 ? undefined : texts;
}

/** Chat Completions nests the location one level deeper than the others. */
function findLocation(location: JsonObject): JsonObject | undefined {
  const place = isObject(location.approximate) ? location.approximate : location;
  const known = PLACE_FIELDS.filter((name) => typeof place[name] === 'string' && place[name] !== '');
  return known.length === 0 ? undefined : Object.fromEntries(known.map((name) => [name, place[name]]));
}

/** The search that the vendor is asked for. A search that its model cannot do is noted. */
export function askedSearch(request: HubRequest, target: Capabilities, notes: Notes): WebSearch | undefined {
  const { webSearch: search } = request;
  if (search !== undefined && !target.webSearch) notes.drop(search.path);
  return target.webSearch ? search : undefined;
}

/** Notes the options that a target does not have. */
export function loseSearchOptions(search: WebSearch, supported: readonly SearchOption[], notes: Notes): void {
  for (const [option, name] of Object.entries(search.names) as [SearchOption, string][]) {
    if (search[option] !== undefined && !supported.includes(option)) notes.drop(`${search.path}.${name}`);
  }
}
