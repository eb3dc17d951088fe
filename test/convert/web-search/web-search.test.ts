import { describe, expect, it } from 'vitest';
import type { Json } from '../../../sim/request/json.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { PROTOCOLS } from '../recorded/load.ts';
import { refusedBySimulator } from '../specs/simulator.ts';
import { approximate, CLIENTS, converted, domains, MODELS, PLACE, type Wire } from './searches.ts';

const searchAt: Readonly<Record<TextProtocol, (body: Wire) => Wire>> = {
  chat: (body) => body.web_search_options,
  responses: (body) => body.tools[0],
  messages: (body) => body.tools[0],
  gemini: (body) => body.tools[0],
};

/** What of the options each vendor can hear. */
function heardBy(vendor: TextProtocol, client: TextProtocol): object {
  const place = client === 'gemini' ? {} : { user_location: approximate };
  const size = client === 'chat' || client === 'responses' ? { search_context_size: 'low' } : {};
  const isFiltered = client === 'responses' || client === 'messages';
  switch (vendor) {
    case 'chat':
      return {
        ...size,
        ...(client === 'gemini' ? {} : { user_location: { type: 'approximate', approximate: PLACE } }),
      };
    case 'responses':
      return {
        type: 'web_search',
        ...size,
        ...place,
        ...(isFiltered ? { filters: { allowed_domains: domains } } : {}),
      };
    case 'messages':
      return {
        type: 'web_search_20250305',
        name: 'web_search',
        ...place,
        ...(isFiltered ? { allowed_domains: domains } : {}),
      };
    case 'gemini':
      return { googleSearch: {} };
  }
}

const PAIRS = PROTOCOLS.flatMap((client) =>
  PROTOCOLS.filter((vendor) => vendor !== client).map((vendor) => ({ client, vendor })),
);

describe('a web search', () => {
  it.each(PAIRS)(
    'that a $client client requests is requested from a $vendor vendor',
    ({ client, vendor }) => {
      const { body, dropped } = converted(client, CLIENTS[client], vendor, MODELS[vendor]);
      const sent = JSON.parse(body.toString());
      expect(searchAt[vendor](sent)).toMatchObject(heardBy(vendor, client));
      expect(refusedBySimulator(vendor, MODELS[vendor], sent as Json)).toBeUndefined();
      const isLossless = vendor === 'responses' && client !== 'messages';
      if (isLossless) expect(dropped).toEqual([]);
      if (vendor === 'gemini') expect(dropped.every((path) => path.includes('.'))).toBe(true);
    },
  );

  it('is reported where the model lacks it', () => {
    expect(converted('responses', CLIENTS.responses, 'chat', 'gpt-4o').dropped).toEqual(['tools[0]']);
    expect(converted('messages', CLIENTS.messages, 'responses', 'llama-3').dropped).toEqual(['tools[0]']);
    expect(converted('chat', CLIENTS.chat, 'messages', 'claude-3-haiku').dropped).toEqual([
      'web_search_options',
    ]);
  });

  it.each(PAIRS.filter(({ client }) => client === 'responses' || client === 'messages'))(
    'of a $client client that forbids tools is not requested from $vendor',
    ({ client, vendor }) => {
      const none = client === 'responses' ? 'none' : { type: 'none' };
      const { body, dropped } = converted(
        client,
        { ...CLIENTS[client], tool_choice: none },
        vendor,
        MODELS[vendor],
      );
      expect(body.toString()).not.toMatch(/"web_search|googleSearch/);
      expect(dropped).toEqual([]);
      expect(refusedBySimulator(vendor, MODELS[vendor], JSON.parse(body.toString()))).toBeUndefined();
    },
  );

  it('is recognised by every name that a protocol has for it', () => {
    for (const type of ['web_search_preview', 'web_search_preview_2025_03_11', 'web_search_2025_08_26']) {
      const asked = { ...CLIENTS.responses, tools: [{ type }] };
      expect(converted('responses', asked, 'gemini', MODELS.gemini).body.toString()).toContain(
        'googleSearch',
      );
    }
    for (const type of ['web_search_20260209', 'web_search_20260318', 'web_search_20991231']) {
      const asked = { ...CLIENTS.messages, tools: [{ type, name: 'web_search' }] };
      expect(converted('messages', asked, 'responses', 'gpt-5').body.toString()).toContain('web_search');
    }
    for (const name of [
      'googleSearch',
      'google_search',
      'googleSearchRetrieval',
      'google_search_retrieval',
    ]) {
      const asked = { ...CLIENTS.gemini, tools: [{ [name]: {} }] };
      expect(converted('gemini', asked, 'messages', MODELS.messages).body.toString()).toContain(
        'web_search_',
      );
    }
  });

  it('has the effort that it needs', () => {
    const asked = { ...CLIENTS.chat, reasoning_effort: 'minimal' };
    const { body, dropped } = converted('chat', asked, 'responses', 'gpt-5');
    expect(JSON.parse(body.toString()).reasoning).toMatchObject({ effort: 'low' });
    expect(dropped).toContain('reasoning_effort');
  });

  it('takes only locations that the vendor can read', () => {
    const location = { type: 'approximate', country: 'Germany', city: '' };
    const asked = { ...CLIENTS.responses, tools: [{ type: 'web_search', user_location: location }] };
    const { body, dropped } = converted('responses', asked, 'messages', MODELS.messages);
    expect(JSON.parse(body.toString()).tools[0].user_location).toEqual({ type: 'approximate' });
    expect(dropped).toEqual(['tools[0].user_location']);
    expect(refusedBySimulator('messages', MODELS.messages, JSON.parse(body.toString()))).toBeUndefined();
  });

  it('is left out where the client allows other tools only', () => {
    const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] };
    const asked = { model: 'm', input: 'q', tools: [look, { type: 'web_search' }], tool_choice: allowed };
    const sent = JSON.parse(converted('responses', asked, 'messages', MODELS.messages).body.toString());
    expect(sent.tools.map(({ name }: { name: string }) => name)).toEqual(['look']);
  });

  it('is dropped beside functions at Google, and beside a tool of its name at Anthropic', () => {
    const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
    const both = { model: 'm', input: 'q', tools: [look, { type: 'web_search' }] };
    const google = converted('responses', both, 'gemini', 'gemini-3-pro');
    expect(google.body.toString()).not.toContain('googleSearch');
    expect(google.dropped).toContain('tools[1]');
    const named = { ...both, tools: [{ ...look, name: 'web_search' }, { type: 'web_search' }] };
    const anthropic = converted('responses', named, 'messages', 'claude-sonnet-4-5');
    expect(JSON.parse(anthropic.body.toString()).tools).toHaveLength(1);
    expect(anthropic.dropped).toContain('tools[1]');
  });
});
