import { type Json, record, records } from '../request/json.ts';
import { blocksOf } from './read.ts';

const MARKS_MAX = 4;

interface Mark {
  readonly path: string;
  readonly ttl: unknown;
}

/** At most four marks, long ones before short ones, none inside of a tool result. */
export function refuseCacheMarks(body: Json): string | undefined {
  const marks = [
    ...records(body.tools).flatMap((tool, index) => markOf(tool, `tools.${index}`)),
    ...records(body.system).flatMap((block, index) => markOf(block, `system.${index}`)),
    ...records(body.messages).flatMap(marksOfMessage),
    ...markOf(body, ''),
  ];
  const nested = marks.find(({ path }) => path.includes('tool_result.content'));
  if (nested !== undefined) {
    return `${nested.path}.cache_control: cache_control may not be specified within \`tool_result.content\``;
  }
  if (marks.length > MARKS_MAX) {
    return `A maximum of ${MARKS_MAX} blocks with cache_control may be provided. Found ${marks.length}.`;
  }
  const short = marks.findIndex(({ ttl }) => ttl !== '1h');
  const late = short === -1 ? undefined : marks.slice(short).find(({ ttl }) => ttl === '1h');
  if (late === undefined) return undefined;
  return (
    `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` +
    'cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.'
  );
}

function marksOfMessage(message: Json, index: number): readonly Mark[] {
  return records(message.content).flatMap((block, at) => {
    const path = `messages.${index}.content.${at}`;
    const inner = block.type === 'tool_result' && Array.isArray(block.content) ? blocksOf(block) : [];
    return [
      ...markOf(block, path),
      ...inner.flatMap((part, place) => markOf(part, `${path}.tool_result.content.${place}`)),
    ];
  });
}

function markOf(holder: Json, path: string): readonly Mark[] {
  if (holder.cache_control === undefined || holder.cache_control === null) return [];
  return [{ path, ttl: record(holder.cache_control).ttl ?? '5m' }];
}
