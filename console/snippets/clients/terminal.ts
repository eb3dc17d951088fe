import { shell } from '../literals.ts';
import type { SnippetBlock, SnippetInput } from '../snippet.ts';

/** The variable that carries the key in every snippet. */
export const KEY_VARIABLE = 'TOLLGATE_KEY';

/** What stands where no key is known. */
const YOUR_KEY = 'tg-…';

/** Sets the key for the programs that are started in this terminal. */
export function exportKey({ key }: SnippetInput): string {
  return `export ${KEY_VARIABLE}=${shell(key ?? YOUR_KEY)}`;
}

/** Commands for a terminal, one after the other. */
export function terminal(lines: readonly string[]): SnippetBlock {
  return { place: 'terminal', language: 'bash', code: lines.join('\n') };
}

/** A file with the code, then: install the library, set the key, run the file. */
export function inJavaScript(input: SnippetInput, install: string, code: string): readonly SnippetBlock[] {
  const file = { place: 'hello.mjs', language: 'javascript', code } as const;
  return [file, terminal([install, exportKey(input), `node ${file.place}`])];
}

export function inPython(input: SnippetInput, install: string, code: string): readonly SnippetBlock[] {
  const file = { place: 'hello.py', language: 'python', code } as const;
  return [file, terminal([install, exportKey(input), `python ${file.place}`])];
}
