import { type Json, records } from '../request/json.ts';
import { blocksOf } from './read.ts';

/** Ciphertext of the vendor's own. */
const SEALED = /^[A-Za-z0-9+/=_-]+$/;
const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

/** Searches in the history: each result has its call, and what was found elsewhere is none. */
export function refuseSearches(messages: readonly Json[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    for (const [at, block] of blocks.entries()) {
      const problem = refuseSealed(block) ?? refuseServerBlock(block, blocks.slice(0, at));
      if (problem !== undefined) return `messages.${index}.content.${at}${problem}`;
    }
  }
  return undefined;
}

function refuseSealed(block: Json): string | undefined {
  const cited = records(block.citations).map((citation) => citation.encrypted_index);
  const found = records(block.content).map((page) => page.encrypted_content);
  const isForeign = [...cited, ...found].some((sealed) => typeof sealed === 'string' && !SEALED.test(sealed));
  return isForeign ? ': Invalid `encrypted_content` in `search_result` block' : undefined;
}

function refuseServerBlock(block: Json, before: readonly Json[]): string | undefined {
  const { type } = block;
  if (type !== 'server_tool_use' && type !== 'web_search_tool_result') return undefined;
  const name = type === 'server_tool_use' ? 'id' : 'tool_use_id';
  const id = String(block[name]);
  if (!SERVER_ID.test(id)) {
    return `.${type}.${name}: String should match pattern '${SERVER_ID.source}'`;
  }
  if (type === 'server_tool_use' || before.some((use) => use.type === 'server_tool_use' && use.id === id)) {
    return undefined;
  }
  return (
    `: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${id}. Each ` +
    '`web_search_tool_result` block must have a corresponding `server_tool_use` block before it.'
  );
}
