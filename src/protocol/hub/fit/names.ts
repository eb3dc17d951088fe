import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import type { CodecRules } from '../codec.ts';
import type { Tool } from '../request.ts';

/** What a tool is called on one side. Only some protocols have namespaces. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A tool as the client knows it. */
export interface ClientTool extends ToolName {
  /** A custom tool that went to the vendor as a function with one text. */
  readonly wrapped: boolean;
}

const ILLEGAL = /[^A-Za-z0-9_-]/g;
const HASH_CHARS = 8;

/**
 * Tool names as the target takes them, and back (rule C-24). Names that are legal stay as they are;
 * others are cleaned and made unique by a hash of the original, so that the same conversation always gives
 * the same names. Declared tools come first, so that history never takes a name from them.
 */
export class ToolNames {
  readonly #rules: CodecRules;
  readonly #vendorNames = new Map<string, string>();
  readonly #clientNames = new Map<string, ToolName>();
  readonly #wrapped = new Set<string>();
  /** Namespaces of a bare name, for choices that say only the name. */
  readonly #namespaces = new Map<string, string | undefined>();

  /** `wrapped` are those of the tools that go to the vendor as something else. */
  constructor(rules: CodecRules, tools: readonly Tool[], wrapped: readonly Tool[]) {
    this.#rules = rules;
    for (const tool of wrapped) this.#wrapped.add(keyOf(tool));
    // Legal names keep their spelling, wherever they stand, before any other name is made up.
    const [plain, grouped] = [tools.filter(isPlain), tools.filter((tool) => !isPlain(tool))];
    for (const tool of [...plain, ...grouped]) if (this.#isLegal(this.#flat(tool))) this.#vendorName(tool);
    for (const tool of [...plain, ...grouped]) {
      this.#vendorName(tool);
      if (!this.#namespaces.has(tool.name)) this.#namespaces.set(tool.name, tool.namespace);
    }
  }

  /** The vendor's word for a tool, declared or only known from history. */
  toVendor(tool: ToolName): ToolName {
    const name = this.#vendorName(tool);
    return this.#rules.namespaces && tool.namespace !== undefined
      ? { name, namespace: tool.namespace }
      : { name };
  }

  /** The same for a name that was said without its namespace. */
  bareToVendor(name: string): string {
    return this.toVendor({ name, namespace: this.#namespaces.get(name) }).name;
  }

  isWrapped(tool: ToolName): boolean {
    return this.#wrapped.has(keyOf(tool));
  }

  /** The client's word for what the vendor called; a name that nobody declared stays as the model said it. */
  toClient({ name, namespace }: ToolName): ClientTool {
    const known = this.#clientNames.get(keyOf({ name, namespace }));
    if (known === undefined) return { name, namespace, wrapped: false };
    return { name: known.name, namespace: known.namespace, wrapped: this.isWrapped(known) };
  }

  #vendorName(tool: ToolName): string {
    const key = keyOf(tool);
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
    // Each round hashes anew: the names taken are finite, so a free one is found.
    for (let round = 0; ; round++) {
      const name = this.#cleaned(flat, `${keyOf(tool)}${round === 0 ? '' : ` ${round}`}`);
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
    return keyOf(this.#rules.namespaces ? { name, namespace: tool.namespace } : { name });
  }
}

function isPlain(tool: ToolName): boolean {
  return tool.namespace === undefined;
}

export function shortHash(text: string): string {
  return sha256Hex(text).slice(0, HASH_CHARS);
}

/** Whatever characters the two hold, no other pair gives the same key. */
function keyOf({ name, namespace }: ToolName): string {
  return namespace === undefined ? ` ${name}` : `${namespace.length} ${namespace}${name}`;
}
