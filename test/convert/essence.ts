import type { HubAnswer } from '../../src/protocol/hub/answer.ts';
import type { Part } from '../../src/protocol/hub/part.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import type { HubRequest } from '../../src/protocol/hub/request.ts';

/**
 * What must be the same on both sides of a conversion, whatever it is called there. Left out is what the
 * documents name as lost: white space at the edges, where one text ends and the next begins, that a system's
 * word in the middle was no user's, that a tool failed (it is told in words).
 */
export function essenceOf(request: HubRequest): unknown {
  const parts = request.turns.flatMap(({ role, parts: of }) => of.map((part) => ({ role, part })));
  const said = (roles: readonly string[]): string =>
    parts.map(({ role, part }) => (roles.includes(role) ? wordsOf(part) : '')).join('');
  const all = parts.map(({ part }) => part);
  return {
    system: bare(request.system.map((part) => part.text).join('')),
    heard: bare(said(['user', 'system'])),
    said: bare(said(['assistant'])),
    calls: all.flatMap((part) =>
      part.kind === 'tool-call' ? [{ name: part.name, input: JSON.parse(part.arguments) }] : [],
    ),
    results: all.flatMap((part) => (part.kind === 'tool-result' ? [resultOf(part.parts)] : [])),
    pictures: all.flatMap((part) =>
      part.kind === 'image' && part.source.kind === 'bytes' ? [part.source.base64] : [],
    ),
    tools: request.tools.map(({ name, description, ...rest }) => ({
      name,
      description,
      schema: rest.kind === 'function' ? JSON.parse(rest.schema ?? '{}') : undefined,
    })),
    choice: request.toolChoice?.kind === 'auto' ? undefined : request.toolChoice,
    temperature: request.sampling.temperature,
    maxTokens: request.maxTokens,
  };
}

function wordsOf(part: Part): string {
  return part.kind === 'text' ? part.text : '';
}

function bare(words: string): string {
  return words.replace(/<\/?system-reminder>/g, '').replace(/\s+/g, '');
}

/** JSON is the same JSON however it is spelled. */
function resultOf(parts: readonly Part[]): string {
  const words = parts
    .map(wordsOf)
    .join('')
    .replace(/^(\[tool error\] ?|Error: )/, '');
  try {
    return JSON.stringify(JSON.parse(words));
  } catch {
    return bare(words);
  }
}

/** Chat Completions has one text, one thought and a list of calls: their order among each other is lost. */
export function answerEssence({ choices, usage }: HubAnswer, among: readonly TextProtocol[]): unknown {
  const parts = choices[0]?.parts ?? [];
  const reason = choices[0]?.finish.reason;
  const input = usage === undefined ? 0 : usage.inputFresh + usage.cacheWrite;
  return {
    said: among.includes('chat') ? grouped(parts) : ordered(parts),
    reason,
    usage: [input, usage?.cacheRead, usage?.outputText, usage?.outputReasoning],
  };
}

function grouped(parts: readonly Part[]): unknown {
  const join = (kind: string): string =>
    parts.map((part) => (part.kind === kind && 'text' in part ? part.text : '')).join('');
  return { text: join('text'), thought: join('reasoning'), calls: parts.flatMap(callOf) };
}

/** Neighbours of one kind are one. */
function ordered(parts: readonly Part[]): unknown {
  const merged: { kind: string; text: string; calls: readonly unknown[] }[] = [];
  for (const part of parts) {
    const text = part.kind === 'text' || part.kind === 'reasoning' ? part.text : '';
    const last = merged.at(-1);
    if (last?.kind === part.kind && part.kind !== 'tool-call') last.text += text;
    else merged.push({ kind: part.kind, text, calls: callOf(part) });
  }
  return merged;
}

function callOf(part: Part): readonly unknown[] {
  return part.kind === 'tool-call' ? [{ name: part.name, input: JSON.parse(part.arguments) }] : [];
}
