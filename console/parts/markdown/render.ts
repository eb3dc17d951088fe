/** Loaded with the first Markdown. What a model or a user wrote becomes safe markup. */
import DOMPurify from 'dompurify';
import { Marked } from 'marked';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Markup in the text is not obeyed: it is shown as it was written. */
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: { html: ({ text }) => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char) },
});

const TAGS = [
  ...[
    'a',
    'b',
    'blockquote',
    'br',
    'code',
    'del',
    'em',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
    'img',
  ],
  ...[
    'input',
    'li',
    'ol',
    'p',
    'pre',
    's',
    'strong',
    'sub',
    'sup',
    'table',
    'tbody',
    'td',
    'th',
    'thead',
    'tr',
    'ul',
  ],
];
const ATTRIBUTES = ['href', 'src', 'alt', 'title', 'start', 'align', 'type', 'checked', 'disabled'];
const ADDRESS = /^(?:https?:|mailto:)/i;

const purify = DOMPurify(window);

/** Foreign pictures would tell their server who reads: their address stands there as a link. */
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'IMG') {
    const address = node.getAttribute('src') ?? '';
    const text = node.getAttribute('alt') || address;
    const link = document.createElement('a');
    link.textContent = text;
    if (ADDRESS.test(address)) secure(link, address);
    node.replaceWith(link);
  }
  if (node.tagName === 'A') {
    const address = node.getAttribute('href') ?? '';
    if (ADDRESS.test(address)) secure(node, address);
    else node.removeAttribute('href');
  }
  if (node.tagName === 'INPUT') {
    if (node.getAttribute('type') !== 'checkbox') node.remove();
    else node.setAttribute('disabled', '');
  }
});

function secure(link: Element, address: string): void {
  link.setAttribute('href', address);
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer nofollow');
}

export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false });
  return purify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}
