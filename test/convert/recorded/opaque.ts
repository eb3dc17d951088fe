import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { words } from './told.ts';

/** Fields that only the vendor, or the client's bookkeeping, can read; they must survive as they are. */
const FIELDS: Readonly<Record<TextProtocol, readonly string[]>> = {
  chat: ['signature', 'thought_signature'],
  responses: ['encrypted_content', 'call_id'],
  messages: ['signature'],
  gemini: ['thoughtSignature'],
};

/** The values of such fields, wherever they stand in JSON. */
export function opaqueIn(protocol: TextProtocol, value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  collect(value, { protocol, found });
  return found;
}

interface Search {
  readonly protocol: TextProtocol;
  readonly found: Set<string>;
}

function collect(value: unknown, search: Search): void {
  if (Array.isArray(value)) for (const item of value) collect(item, search);
  else if (typeof value === 'object' && value !== null) collectFrom(value as Record<string, unknown>, search);
}

function collectFrom(holder: Record<string, unknown>, search: Search): void {
  const { protocol, found } = search;
  for (const [key, field] of Object.entries(holder)) {
    if (FIELDS[protocol].includes(key) && words(field) !== '')
      for (const one of opened(words(field))) found.add(one);
    collect(field, search);
  }
  const isSealed =
    (protocol === 'messages' && holder.type === 'redacted_thinking') ||
    (protocol === 'chat' && holder.type === 'reasoning.encrypted');
  if (isSealed) found.add(words(holder.data));
  const isCall =
    (protocol === 'messages' && holder.type === 'tool_use') ||
    (protocol === 'chat' && (holder.type === 'function' || holder.type === 'custom')) ||
    (protocol === 'gemini' && holder.args !== undefined);
  if (isCall && words(holder.id) !== '') found.add(words(holder.id));
}

/**
 * Where a signature's own slot is taken it travels in an envelope of the gateway's; its value is what counts.
 */
function opened(value: string): readonly string[] {
  const [, sealed] = /^tollgate\.blobs\.1\.(.+)$/.exec(value) ?? [];
  if (sealed === undefined) return [value];
  const rows = JSON.parse(Buffer.from(sealed, 'base64url').toString()) as readonly (readonly string[])[];
  return rows.map((row) => row[3] as string);
}
