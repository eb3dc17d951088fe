import { readFileSync } from 'node:fs';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { specificationsFolder } from '../../prerequisites.ts';
import { RELAXED, type Relaxed } from './relaxed.ts';

export type Node = Record<string, unknown>;

/** A document whose `schemas` are JSON Schema of today, whatever dialect they were written in. */
export interface SpecDocument {
  readonly id: string;
  readonly schemas: Readonly<Record<string, Node>>;
}

const FILES: Readonly<Record<TextProtocol, string>> = {
  chat: 'openai/openapi.json',
  responses: 'openai/openapi.json',
  messages: 'anthropic/openapi.json',
  gemini: 'google/discovery.v1beta.json',
};

/** Google's document names these and does not hold them. */
const MISSING: Readonly<Record<string, Node>> = { MediaResolution: {} };

const read = new Map<string, SpecDocument>();

/** Read and adapted once, when it is first needed: one of them has three megabytes. */
export function documentOf(protocol: TextProtocol): SpecDocument {
  const file = FILES[protocol];
  const known = read.get(file);
  if (known !== undefined) return known;
  const parsed = JSON.parse(readFileSync(`${specificationsFolder}/${file}`, 'utf8'));
  const given = (parsed.components?.schemas ?? parsed.schemas) as Record<string, Node>;
  const adapt = protocol === 'gemini' ? adaptDiscovery : adaptOpenapi;
  const schemas = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, adapt(one, name)]));
  for (const rule of RELAXED.filter((one) => FILES[one.protocol] === file)) relax(schemas, rule);
  const made = { id: `https://${file}`, schemas: { ...MISSING, ...schemas } };
  read.set(file, made);
  return made;
}

/** Words that are not JSON Schema's, or that say nothing about values. */
const IDLE = new Set(['discriminator', 'nullable', 'example', 'examples', 'description', 'title', 'default']);

function adaptOpenapi(node: unknown, owner: string): Node {
  return adaptValue(node, owner) as Node;
}

function adaptValue(value: unknown, owner: string): unknown {
  if (Array.isArray(value)) return value.map((item) => adaptValue(item, owner));
  if (typeof value !== 'object' || value === null) return value;
  const made: Node = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === 'properties') made.properties = mapValues(item as Node, (one) => adaptValue(one, owner));
    // Alternatives overlap all over these documents; which of them fits is nobody's question.
    else if (key === 'oneOf') made.anyOf = adaptValue(item, owner);
    else if (key === '$recursiveRef') made.$ref = `#/schemas/${owner}`;
    else if (key === '$ref') made.$ref = (item as string).replace('#/components/schemas/', '#/schemas/');
    else if (key === 'enum' || key === 'const' || key === 'required') made[key] = item;
    else if (!IDLE.has(key) && !key.startsWith('$') && !key.startsWith('x-')) {
      made[key] = adaptValue(item, owner);
    }
  }
  return (value as Node).nullable === true ? { anyOf: [made, { type: 'null' }] } : made;
}

function mapValues(record: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Google's own description: protobuf refuses every field it does not know. */
function adaptDiscovery(node: unknown): Node {
  const { $ref, type, properties, items, additionalProperties, enum: values } = node as Node;
  if (typeof $ref === 'string') return { $ref: `#/schemas/${$ref}` };
  if (type === 'any') return {};
  const made: Node = { type };
  if (values !== undefined) made.enum = values;
  if (items !== undefined) made.items = adaptDiscovery(items);
  if (properties !== undefined) {
    made.properties = mapValues(properties as Node, adaptDiscovery);
    made.additionalProperties = false;
  } else if (additionalProperties !== undefined) {
    made.additionalProperties = adaptDiscovery(additionalProperties);
  }
  return made;
}

/** The object that holds the property: the schema itself, or one of those it is put together from. */
function holderOf(node: Node, property: string): Holder {
  const all = [node, ...((node.allOf ?? []) as readonly Node[])] as unknown as readonly Holder[];
  return all.find(({ properties }) => properties?.[property] !== undefined) as Holder;
}

interface Holder {
  required?: readonly string[];
  readonly properties: Record<string, Node>;
}

function relax(schemas: Record<string, Node>, { schema, property, may }: Relaxed): void {
  const holder = holderOf(schemas[schema] as Node, property);
  const { required = [], properties } = holder;
  if (may === 'be absent') holder.required = required.filter((name) => name !== property);
  else properties[property] = { anyOf: [properties[property], { type: 'null' }] };
}
