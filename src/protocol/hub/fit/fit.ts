import type { CodecRules, Target } from '../codec.ts';
import type { HubField } from '../notes.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../part.ts';
import type { HubRequest, Tool, ToolChoice, Turn } from '../request.ts';
import { wrapCustomCall, wrapCustomResult, wrapCustomTool } from './custom.ts';
import { CallIds } from './ids.ts';
import { ToolNames } from './names.ts';
import { filterSignatures, settleSignatures } from './signatures.ts';
import { checkStops, stopsHere } from './stop.ts';
import { pairResults } from './tool-pairs.ts';
import { mergeTurns, splitTurns } from './turns.ts';

export interface Fitted {
  readonly request: HubRequest;
  /** Maps the names in the answer back. */
  readonly names: ToolNames;
  /** Options that no target of this kind can take. */
  readonly lost: readonly HubField[];
}

/**
 * Makes a request fit its target in everything that does not depend on the protocol's fields: names, ids,
 * custom tools, signatures, and the order of calls and results. The same request always gives the same
 * result, because caches depend on it (rule C-5).
 */
export function fitRequest(request: HubRequest, target: Target, rules: CodecRules): Fitted {
  const keepsCustom = rules.customTools && target.capabilities.customTools;
  const tools = uniqueTools(request.tools);
  const names = new ToolNames(
    rules,
    tools,
    keepsCustom ? [] : tools.filter((tool) => tool.kind === 'custom'),
  );
  const fitPart = keepsCustom ? samePart : wrapPart;
  const isStopOurs = stopsHere(request, target);
  if (isStopOurs) checkStops(request.stop);
  // Without tools every vendor refuses options about their choice.
  const hasTools = tools.length > 0;
  const settled = settleTurns(request, target);
  const fitted: HubRequest = {
    ...request,
    turns: fitTurns(settled.turns, { names, rules, fitPart }),
    tools: tools.map((tool) => fitTool(tool, names, keepsCustom ? tool : undefined)),
    toolChoice: hasTools ? request.toolChoice && fitChoice(request.toolChoice, names) : undefined,
    parallelCalls: hasTools ? request.parallelCalls : undefined,
    stop: isStopOurs ? [] : request.stop,
  };
  const isForced = request.toolChoice !== undefined && !isFree(request.toolChoice);
  const lost: HubField[] = [
    ...(settled.losesThought ? (['reasoning'] as const) : []),
    ...(tools.length < request.tools.length ? (['tools'] as const) : []),
    ...(isForced && !hasTools ? (['toolChoice'] as const) : []),
  ];
  return { request: fitted, names, lost };
}

/** Without tools these two choices have no effect. */
function isFree({ kind }: ToolChoice): boolean {
  return kind === 'auto' || kind === 'none';
}

/** Vendors refuse two tools of one name. The first one counts. */
function uniqueTools(tools: readonly Tool[]): readonly Tool[] {
  const seen = new Set<string>();
  return tools.filter(({ name, namespace }) => {
    const key = JSON.stringify([namespace, name]);
    return !seen.has(key) && seen.add(key);
  });
}

function fitTool(tool: Tool, names: ToolNames, kept: Tool | undefined): Tool {
  const { namespace: _namespace, ...fitted } = kept ?? (tool.kind === 'custom' ? wrapCustomTool(tool) : tool);
  return { ...fitted, ...names.toVendor(tool) };
}

function fitChoice(choice: ToolChoice, names: ToolNames): ToolChoice {
  if (choice.kind === 'subset') {
    return { ...choice, names: choice.names.map((name) => names.bareToVendor(name)) };
  }
  if (choice.kind !== 'tool') return choice;
  if (choice.namespace === undefined) return { kind: 'tool', name: names.bareToVendor(choice.name) };
  return { kind: 'tool', ...names.toVendor(choice) };
}

interface Fitting {
  readonly names: ToolNames;
  readonly rules: CodecRules;
  readonly fitPart: (part: Part) => Part;
}

interface SettledTurns {
  readonly turns: readonly Turn[];
  /** Thinking that the client sent back is not sent to any vendor. */
  readonly losesThought: boolean;
}

function settleTurns({ turns }: HubRequest, target: Target): SettledTurns {
  let losesThought = false;
  const settled = mergeTurns(splitTurns(turns)).map((turn) => {
    if (turn.role !== 'assistant') return turn;
    const parts = filterSignatures(settleSignatures(turn.parts), target);
    const isThinking = parts.some(({ kind }) => kind === 'reasoning');
    losesThought ||= !isThinking && turn.parts.some((part) => part.kind === 'reasoning' && part.text !== '');
    return { role: turn.role, parts };
  });
  return { turns: settled, losesThought };
}

function fitTurns(turns: readonly Turn[], fitting: Fitting): readonly Turn[] {
  const paired = pairResults(turns);
  const callIds = paired.flatMap(({ parts }) => parts.filter((part) => part.kind === 'tool-call'));
  const renaming = new Renaming(
    fitting,
    new CallIds(
      fitting.rules.callIdMax,
      callIds.map(({ id }) => id),
    ),
  );
  return paired.map(({ role, parts }) => ({ role, parts: parts.map((part) => renaming.part(part)) }));
}

/** Gives calls their new names and ids. Results follow in the order of the calls, so they need no search. */
class Renaming {
  readonly #fitting: Fitting;
  readonly #ids: CallIds;
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #answered = 0;

  constructor(fitting: Fitting, ids: CallIds) {
    this.#fitting = fitting;
    this.#ids = ids;
  }

  part(part: Part): Part {
    if (part.kind === 'tool-call') return this.#call(this.#fitting.fitPart(part) as ToolCallPart);
    if (part.kind === 'tool-result') return this.#result(this.#fitting.fitPart(part) as ToolResultPart);
    return part;
  }

  #call({ namespace, ...call }: ToolCallPart): ToolCallPart {
    const tool = this.#fitting.names.toVendor({ name: call.name, namespace });
    const id = this.#ids.next(call.id);
    this.#open.push({ id, name: tool.name });
    return { ...call, ...tool, id };
  }

  #result(result: ToolResultPart): ToolResultPart {
    const call = this.#open[this.#answered++];
    return call === undefined ? result : { ...result, callId: call.id, name: call.name };
  }
}

function samePart(part: Part): Part {
  return part;
}

function wrapPart(part: Part): Part {
  if (part.kind === 'tool-call') return wrapCustomCall(part);
  return part.kind === 'tool-result' ? wrapCustomResult(part) : part;
}
