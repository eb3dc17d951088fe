/** Text that was made by `html` and may stand in a page as it is; any other text is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A template in which every value is escaped unless it is Html already. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | undefined)[]): Html {
  let text = parts[0] ?? '';
  values.forEach((value, index) => {
    text += (value instanceof Html ? value.text : escapeText(value ?? '')) + (parts[index + 1] ?? '');
  });
  return new Html(text);
}

export function join(pieces: readonly Html[]): Html {
  return new Html(pieces.map(({ text }) => text).join(''));
}

/** Words with code between backticks, as the document has them. */
export function prose(text = ''): Html {
  const pieces = text.split('`');
  return join(pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`)));
}

/** For texts of our own source only. */
export function raw(text: string): Html {
  return new Html(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
