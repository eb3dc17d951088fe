import { type Html, html, join, prose } from './html.ts';
import type { Node } from './openapi-form.ts';

/** Schemas of ours are flatter; a deeper one is told by its name. */
const DEPTH_MAX = 6;

interface Schema extends Node {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
}

/** A schema in words, and its fields as a table. */
export function describeSchema(schema: object, depth: number): Html {
  const known = schema as Schema;
  const inner = innermost(known);
  const words = html`<code>${wordsOf(known)}</code> <span class="soft">${prose(notesOf(known))}</span>`;
  if (inner.properties === undefined || depth > DEPTH_MAX) return words;
  const required = new Set(inner.required ?? []);
  const rows = Object.entries(inner.properties).map(
    ([name, field]) => html`<tr><td><code>${name}</code>${required.has(name) ? '' : ' (optional)'}</td>
<td>${describeSchema(field, depth + 1)}</td></tr>`,
  );
  return html`${words}<table>${join(rows)}</table>`;
}

/** The object that a list holds, or that a value is when it is not null. */
function innermost({ items, anyOf, ...schema }: Schema): Schema {
  if (items !== undefined) return innermost(items);
  const object = anyOf?.find(({ properties }) => properties !== undefined);
  return object ?? schema;
}

function wordsOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(wordsOf).join(' | ');
  if (schema.items !== undefined) return `list of ${wordsOf(schema.items)}`;
  return String(schema.type ?? 'any value');
}

const NOTES: readonly (readonly [string, string])[] = [
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'characters from'],
  ['maxLength', 'characters up to'],
  ['maxItems', 'entries up to'],
  ['default', 'standard'],
  ['pattern', 'form'],
];

/** That an id fits into a number is no news to people. */
function isTold(note: unknown): boolean {
  return note !== undefined && note !== Number.MAX_SAFE_INTEGER;
}

/** Of a value that may be null, what is said of the value. */
function notesOf(schema: Schema): string {
  const notes = NOTES.filter(([name]) => isTold(schema[name])).map(
    ([name, words]) => `${words} \`${String(schema[name])}\``,
  );
  const ofValue = (schema.anyOf ?? []).map(notesOf);
  return [schema.description ?? '', notes.join(', '), ...ofValue].filter((text) => text !== '').join(' · ');
}
