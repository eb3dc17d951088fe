import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';

/** A client's body while it is written: plain JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies of four protocols, written field by field
export type Body = any;

/** Something that a client can say, which must be heard by the vendor or be in the report. */
export interface RequestPart {
  readonly name: string;
  readonly write: (body: Body) => void;
  /** How it can look at a vendor. Marks are words and figures that stand nowhere else. */
  readonly said: RegExp;
  /** How an entry of the report on it begins; it may be part of a longer path. */
  readonly named: string;
  /** Vendors for which the gateway does it itself. */
  readonly ours?: readonly TextProtocol[];
}

/** A top-level option; `said` is its value unless it is told otherwise. */
export function option(name: string, value: unknown, said?: RegExp): RequestPart {
  const plain =
    typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return {
    name,
    write: (body) => {
      body[name] = value;
    },
    said: said ?? new RegExp(plain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
    named: name,
  };
}

export const part = (
  name: string,
  said: RegExp,
  named: string,
  write: (body: Body) => void,
): RequestPart => ({
  ...{ name, write, said, named },
});

export const SCHEMA = {
  type: 'object',
  properties: { markFormat: { type: 'string' } },
  required: ['markFormat'],
};
export const PARAMETERS = { type: 'object', properties: { q: { type: 'string' } } };
export const PNG = 'iVBORw0KGgoAAAAA';
export const EFFORT =
  /"(reasoning_)?effort":"high"|"thinkingLevel":"HIGH"|"thinkingBudget":\d|"budget_tokens":\d/;
export const NO_PARALLEL = /"parallel_tool_calls":false|"disable_parallel_tool_use":true/;
export const FORCED =
  /"tool_choice":("required"|\{"type":"(any|allowed_tools|tool)")|"mode":"ANY"|You must call/;
export const STRICT = /"strict":true/;
export const CACHED = /"prompt_cache_breakpoint"|"cache_control"/;
export const SEARCH = /web_search|googleSearch/;

export const chatTools = (body: Body): Body => {
  body.tools ??= [{ type: 'function', function: { name: 'look', parameters: PARAMETERS } }];
  return body.tools[0].function;
};
export const before = (list: Body[], ...items: Body[]): void => {
  list.splice(-1, 0, ...items);
};
