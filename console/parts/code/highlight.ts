/** Loaded with the first code block. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = { bash, go, ini, javascript, json, python, typescript, yaml };
for (const [name, rules] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, rules);

export interface Piece {
  readonly text: string;
  /** What the piece is, in the words of the highlighter: `string`, `keyword`, `comment`. */
  readonly kind: string | undefined;
}

/** Code beyond it stays plain. */
const HIGHLIGHTED_CHARACTERS_MAX = 60_000;

/** The text in pieces. Only text comes out, never markup. */
export function highlight(code: string, language: string): readonly Piece[] {
  if (code.length > HIGHLIGHTED_CHARACTERS_MAX || hljs.getLanguage(language) === undefined) {
    return [{ text: code, kind: undefined }];
  }
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  const pieces: Piece[] = [];
  const walk = (node: Node, kind: string | undefined): void => {
    for (const child of node.childNodes) {
      if (child instanceof HTMLElement) walk(child, child.className.replace(/^hljs-(\w+).*$/, '$1'));
      else pieces.push({ text: child.textContent ?? '', kind });
    }
  };
  walk(new DOMParser().parseFromString(`<body>${value}</body>`, 'text/html').body, undefined);
  return pieces;
}
