import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import type { CodecRules } from '../codec.ts';
import type { Tool } from '../request.ts';

/** The name of a tool on one side. Only some protocols have namespaces. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A tool as the client knows it. */
export interface ClientTool extends ToolName {
  /** A custom tool that was sent to the vendor as a function with one text. */
  readonly wrapped: boolean;
}

const ILLEGAL = /[^A-Za-z0-9_-]/g;
const HASH_CHARS = 8;

/**
 * Tool names that the target accepts, and the way back (rule C-24). Legal names stay unchanged. Others are
 * cleaned and made unique with a hash of the original, so that the same conversation always gives the same
 * names. Declared tools come first, so that the history never takes a name from them.
 */
export class ToolNames {
  readonly #rules: CodecRules;
  readonly #vendorNames = new Map<string, string>();
  readonly #clientNames = new Map<string, ToolName>();
  readonly #wrapped = new Set<string>();
  /** Namespaces by bare name, for tool choices without a namespace. */
  readonly #namespaces = new Map<string, string | undefined>();

  /** `wrapped` are the tools that are sent to the vendor as functions. */
  constructor(rules: CodecRules, tools: readonly Tool[], wrapped: readonly Tool[]) {
    this.#rules = rules;
    for (const tool of wrapped) this.#wrapped.add(toKey(tool));
    // Legal names are reserved before any other name is made up.
    const [plain, grouped] = [tools.filter(isPlain), tools.filter((tool) => !isPlain(tool))];
    for (const tool of [...plain, ...grouped]) if (this.#isLegal(this.#flat(tool))) this.#vendorName(tool);
    for (const tool of [...plain, ...grouped]) {
      this.#vendorName(tool);
      if (!this.#namespaces.has(tool.name)) this.#namespaces.set(tool.name, tool.namespace);
    }
  }

  /** The vendor's name for a tool, declared or only known from the history. */
  toVendor(tool: ToolName): ToolName {
    const name = this.#vendorName(tool);
    return this.#rules.namespaces && tool.namespace !== undefined
      ? { name, namespace: tool.namespace }
      : { name };
  }

  /** The same for a name without its namespace. */
  bareToVendor(name: string): string {
    return this.toVendor({ name, namespace: this.#namespaces.get(name) }).name;
  }

  isWrapped(tool: ToolName): boolean {
    return this.#wrapped.has(toKey(tool));
  }

  /** The client's name for a called tool. An undeclared name stays as the model wrote it. */
  toClient({ name, namespace }: ToolName): ClientTool {
    const known = this.#clientNames.get(toKey({ name, namespace }));
    if (known === undefined) return { name, namespace, wrapped: false };
    return { name: known.name, namespace: known.namespace, wrapped: this.isWrapped(known) };
  }

  #vendorName(tool: ToolName): string {
    const key = toKey(tool);
    const known = this.#vendorNames.get(key);
    if (known !== undefined) return known;
    const name = this.#allocate(tool);
    this.#vendorNames.set(key, name);
    this.#clientNames.set(this.#vendorKey(name, tool), tool);
    return name;
  }

  #allocate(tool: ToolName): string {
    const flat = this.#flat(tool);
    if (this.#isLegal(flat) && !this.#clientNames.has(this.#vendorKey(flat, tool))) return flat;
    // Each round uses another hash. The number of taken names is finite, so a free one is found.
    for (let round = 0; ; round++) {
      const name = this.#cleaned(flat, `${toKey(tool)}${round === 0 ? '' : ` ${round}`}`);
      if (!this.#clientNames.has(this.#vendorKey(name, tool))) return name;
    }
  }

  #cleaned(flat: string, hashed: string): string {
    const clean = flat.slice(0, this.#rules.toolNameMax).replace(ILLEGAL, '_');
    // Google's names begin with a letter or an underscore.
    const start = /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
    return `${start.slice(0, this.#rules.toolNameMax - HASH_CHARS - 1)}_${shortHash(hashed)}`;
  }

  #flat({ name, namespace }: ToolName): string {
    return namespace === undefined || this.#rules.namespaces ? name : `${namespace}__${name}`;
  }

  #isLegal(name: string): boolean {
    return name.length <= this.#rules.toolNameMax && this.#rules.toolName.test(name);
  }

  #vendorKey(name: string, tool: ToolName): string {
    return toKey(this.#rules.namespaces ? { name, namespace: tool.namespace } : { name });
  }
}

function isPlain(tool: ToolName): boolean {
  return tool.namespace === undefined;
}

export function shortHash(text: string): string {
  return sha256Hex(text).slice(0, HASH_CHARS);
}

/** A key that is unique for each pair, whatever characters the two contain. */
function toKey({ name, namespace }: ToolName): string {
  return namespace === undefined ? ` ${name}` : `${namespace.length} ${namespace}${name}`;
}
