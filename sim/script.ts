import { RULES_MAX } from './bounds.ts';

/** A rule for the next `times` calls that match; all given fields of `match` must agree. */
export interface Rule {
  readonly match?: Match;
  /** 1 when left out. */
  readonly times?: number;
  readonly answer: ScriptedAnswer;
}

export interface Match {
  readonly model?: string;
  /** The beginning of the path. */
  readonly path?: string;
  readonly key?: string;
  readonly tag?: string;
}

export interface ScriptedAnswer {
  /** An HTTP error in the vendor's own shape, or with `body`. */
  readonly status?: number;
  readonly message?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As in a directive: `reset@12`. */
  readonly fault?: string;
  readonly delayMs?: number;
  /** Words of a directive, laid over the one of the call: `tokens=5 usage=none`. */
  readonly directive?: string;
}

export interface Candidate {
  readonly model: string;
  readonly path: string;
  readonly key: string;
  readonly tag: string;
}

export class Script {
  #rules: { readonly rule: Rule; remaining: number }[] = [];

  add(rule: Rule): void {
    if (this.#rules.length >= RULES_MAX) throw new Error(`the script holds at most ${RULES_MAX} rules`);
    this.#rules.push({ rule, remaining: rule.times ?? 1 });
  }

  /** The first rule that matches is used up by one. */
  take(candidate: Candidate): ScriptedAnswer | undefined {
    if (this.#rules.length === 0) return undefined;
    const found = this.#rules.find(({ rule }) => matches(rule.match ?? {}, candidate));
    if (found === undefined) return undefined;
    found.remaining--;
    if (found.remaining <= 0) this.#rules = this.#rules.filter((entry) => entry !== found);
    return found.rule.answer;
  }

  get size(): number {
    return this.#rules.length;
  }

  clear(): void {
    this.#rules = [];
  }
}

function matches(match: Match, candidate: Candidate): boolean {
  if (match.model !== undefined && match.model !== candidate.model) return false;
  if (match.path !== undefined && !candidate.path.startsWith(match.path)) return false;
  if (match.key !== undefined && match.key !== candidate.key) return false;
  return match.tag === undefined || match.tag === candidate.tag;
}
