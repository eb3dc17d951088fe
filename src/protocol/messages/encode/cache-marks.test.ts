import { describe, expect, test } from 'vitest';
import { answered, encode, said, text, tool, words } from '../../../../test/convert/messages-body.ts';
import type { CapabilityOverrides } from '../../../kernel/capability.ts';
import type { HubRequest, Turn } from '../../hub/request.ts';

describe('cache marks', () => {
  const long: Turn[] = [said('1'), answered(words('2')), said('3'), answered(words('4')), said('5')];
  const marked = (request: Partial<HubRequest>, capabilities: CapabilityOverrides = {}): string[] => {
    const { body } = encode(request, { cacheMarks: true, ...capabilities });
    const found: string[] = [];
    const look = (holder: unknown, path: string): void => {
      if (typeof holder !== 'object' || holder === null) return;
      const mark = (holder as { cache_control?: { ttl?: string } }).cache_control;
      if (mark !== undefined) found.push(`${path}${mark.ttl === undefined ? '' : ` ${mark.ttl}`}`);
      for (const [key, value] of Object.entries(holder)) look(value, path === '' ? key : `${path}.${key}`);
    };
    look({ tools: body.tools, system: body.system, messages: body.messages }, '');
    return found;
  };

  test('are added for clients without them: on tools, system, and the last two user texts', () => {
    const tools = [tool(undefined), { ...tool(undefined), name: 'g' }];
    const system = [
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ] as const;
    expect(marked({ tools, system, turns: long })).toEqual([
      'tools.1',
      'system.1',
      'messages.2.content.0',
      'messages.4.content.0',
    ]);
    expect(marked({ turns: [said('1')] })).toEqual(['messages.0.content.0']);
    expect(marked({ tools, system, turns: long }, { cacheMarks: false })).toEqual([]);
    expect(marked({ client: 'messages', turns: long })).toEqual([]);
  });

  test('of the client are limited to the latest four, long ones before short ones', () => {
    const mark = (ttl?: string): Turn => ({
      role: 'user',
      parts: [{ kind: 'text', text: 'x', cache: ttl === undefined ? {} : { ttl } }],
    });
    const turns = ['1h', '1h', undefined, '1h', '5m'].flatMap((ttl) => [mark(ttl), answered(words('a'))]);
    expect(marked({ turns: [...turns, said('end')] })).toEqual([
      'messages.2.content.0 1h',
      'messages.4.content.0',
      'messages.6.content.0',
      'messages.8.content.0',
    ]);
  });

  test('are dropped and reported for a vendor without them', () => {
    const turns: Turn[] = [{ role: 'user', parts: [{ kind: 'text', text: 'x', cache: {} }] }];
    const { body, dropped } = encode({ turns });
    expect(body.messages).toEqual([{ role: 'user', content: [text('x')] }]);
    expect(dropped).toEqual(['cache_control']);
  });
});
