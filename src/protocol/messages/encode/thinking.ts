import type { Capabilities, Effort } from '../../../kernel/capability.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { budgetOfEffort, clampEffort, effortOfBudget } from '../../hub/effort.ts';
import type { Notes } from '../../hub/notes.ts';
import type { HubRequest, Thinking } from '../../hub/request.ts';

/** What the thinking options depend on. */
export interface ThinkingFrame {
  readonly capabilities: Capabilities;
  readonly maxTokens: number;
  /** A tool is forced, which manual thinking forbids. */
  readonly isForced: boolean;
  /** The last call came back without its thinking, which manual thinking also forbids. */
  readonly isBareCall: boolean;
}

export interface EncodedThinking {
  readonly thinking: JsonObject | undefined;
  readonly effort: Effort | undefined;
}

const NOTHING: EncodedThinking = { thinking: undefined, effort: undefined };
const DISABLED: JsonObject = { type: 'disabled' };
/** The vendor's minimum. */
const BUDGET_MIN = 1024;
/** Efforts that one model refuses while thinking is off. */
const HIGHEST: readonly (Effort | undefined)[] = ['xhigh', 'max'];

/** The thinking options for the model (rule C-37). */
export function encodeThinking(request: HubRequest, frame: ThinkingFrame, notes: Notes): EncodedThinking {
  const { thinking } = request;
  const isOff = thinking.mode === 'off' || thinking.effort === 'none' || thinking.budgetTokens === 0;
  const isUnset = thinking.mode === undefined && thinking.effort === undefined && thinking.show !== true;
  if (isUnset) return NOTHING;
  if (frame.capabilities.thinking === 'none') {
    if (!isOff) notes.lose('thinking');
    return NOTHING;
  }
  if (isOff) return switchOff(thinking, frame, notes);
  return frame.capabilities.thinking === 'budget'
    ? encodeBudget(thinking, frame, notes)
    : encodeAdaptive(thinking, frame.capabilities, notes);
}

/** Set explicitly, because half of the models think by default. */
function switchOff(thinking: Thinking, { capabilities }: ThinkingFrame, notes: Notes): EncodedThinking {
  const { efforts, thinkingOff } = capabilities;
  if (!thinkingOff) {
    notes.lose('thinking');
    return { thinking: undefined, effort: clampEffort('none', efforts) };
  }
  const { effort } = thinking;
  const isSayable = effort !== undefined && effort !== 'none' && !HIGHEST.includes(effort);
  return { thinking: DISABLED, effort: isSayable ? clampEffort(effort, efforts) : undefined };
}

function encodeAdaptive(thinking: Thinking, capabilities: Capabilities, notes: Notes): EncodedThinking {
  const { mode, show, budgetTokens } = thinking;
  const wanted = thinking.effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens));
  const effort = wanted === undefined ? undefined : clampEffort(wanted, capabilities.efforts);
  if (wanted !== undefined && effort === undefined) notes.lose('thinking');
  // An effort alone does not switch thinking on: it also affects text and tools.
  if (mode === undefined && show !== true) return { thinking: undefined, effort };
  return { thinking: { type: 'adaptive', ...encodeShow(show) }, effort };
}

function encodeShow(show: boolean | undefined): JsonObject {
  return show === undefined ? {} : { display: show ? 'summarized' : 'omitted' };
}

/** The budget counts inside `max_tokens`, so it must leave some for the answer (rule C-37). */
function encodeBudget(thinking: Thinking, frame: ThinkingFrame, notes: Notes): EncodedThinking {
  const { capabilities, maxTokens } = frame;
  const effort =
    thinking.effort === undefined ? undefined : clampEffort(thinking.effort, capabilities.efforts);
  const asked = thinking.budgetTokens ?? budgetOfEffort(thinking.effort ?? 'medium', capabilities);
  const within = Math.min(asked < 0 ? budgetOfEffort('medium', capabilities) : asked, maxTokens - 1);
  const isImpossible = frame.isForced || frame.isBareCall || maxTokens - 1 < BUDGET_MIN;
  if (isImpossible) {
    notes.lose('thinking');
    return { thinking: capabilities.thinkingOff ? DISABLED : undefined, effort };
  }
  const budget = Math.max(BUDGET_MIN, Math.floor(within));
  // These models show their thinking by default.
  const display = thinking.show === false ? encodeShow(false) : {};
  return { thinking: { type: 'enabled', budget_tokens: budget, ...display }, effort };
}
