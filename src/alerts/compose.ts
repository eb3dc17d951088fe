import type { AlertLanguage, Delivery, Mail } from './contract.ts';
import type { MessageTexts, Words } from './message-texts.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const TEXTS: Readonly<Record<AlertLanguage, MessageTexts>> = { en, zh };

/** Mails with a link that has a token: its page, and the words of the link. */
const LINKED = {
  'verify-address': { path: '/verify-address', label: 'verify' },
  'reset-password': { path: '/reset-password', label: 'reset' },
} as const;

/** The page of the console that a message is about. Others lead to its first page. */
const PLACES: Readonly<Record<string, string>> = {
  ...{ 'route-down': '/operator/health', 'credential-refused': '/operator/health' },
  ...{ 'settling-lags': '/operator/nodes', 'disk-nearly-full': '/operator/nodes' },
  ...{ 'doctor-finding': '/operator', 'credits-low': '/wallet', 'cap-near': '/wallet' },
  ...{ 'cap-reached': '/wallet', 'key-expiring': '/keys', 'limit-hit': '/calls' },
  ...{ 'password-changed': '/forgot-password', 'new-sign-in': '/settings#sessions' },
};

export function needsToken({ kind }: Pick<Delivery, 'kind'>): boolean {
  return Object.hasOwn(LINKED, kind);
}

type Composed = Pick<Delivery, 'kind' | 'state' | 'details' | 'token'>;

function wordsOf({ kind, state, details }: Composed, language: AlertLanguage): Words {
  const texts = TEXTS[language];
  if (state === 'test') return texts.test;
  const words = texts.kinds[kind];
  // An older version may find a message of a newer one.
  if (words === undefined)
    return { title: kind, lines: Object.entries(details).map((pair) => pair.join(': ')) };
  return state === 'cleared' && words.cleared !== undefined ? words.cleared(details) : words.raised(details);
}

/** The text and a simple HTML of it. Every value is escaped, and the subject is one line. */
export function composeMail(
  message: Composed,
  language: AlertLanguage,
  publicUrl: string | undefined,
): Pick<Mail, 'subject' | 'text' | 'html'> {
  const texts = TEXTS[language];
  const words = wordsOf(message, language);
  const subject = toLine(words.title);
  const lines = words.lines.map(toLine);
  const link = findLink(message, texts, publicUrl);
  const footer = publicUrl === undefined ? [] : [texts.footer(publicUrl)];
  const text = [subject, '', ...lines, ...(link === undefined ? [] : ['', link.href]), '', '--', ...footer];
  const html = [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="font-family:sans-serif;font-size:15px;line-height:1.5">`,
    `<p><strong>${escapeHtml(subject)}</strong></p>`,
    ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
    ...(link === undefined
      ? []
      : [`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>`]),
    ...footer.map((line) => `<p style="color:#666">${escapeHtml(line)}</p>`),
    '</body></html>',
  ];
  return { subject, text: `${text.join('\n')}\n`, html: html.join('\n') };
}

/** A token stands behind `#`, which browsers send to no server. */
function findLink(
  { kind, token }: Composed,
  texts: MessageTexts,
  publicUrl: string | undefined,
): { readonly href: string; readonly label: string } | undefined {
  if (publicUrl === undefined) return undefined;
  const linked = LINKED[kind as keyof typeof LINKED];
  if (linked === undefined) {
    const isKnown = Object.hasOwn(PLACES, kind);
    return { href: publicUrl + (isKnown ? PLACES[kind] : ''), label: texts.open };
  }
  return { href: `${publicUrl}${linked.path}#${token ?? ''}`, label: texts[linked.label] };
}

type Signed = Pick<Delivery, 'kind' | 'state' | 'details' | 'key' | 'createdAtMs' | 'token'>;

/** The body in the form of Standard Webhooks: type, timestamp, data. */
export function composeWebhook(
  message: Signed,
  language: AlertLanguage,
  publicUrl: string | undefined,
): string {
  const { title, lines } = wordsOf(message, language);
  const type = message.state === 'test' ? 'test' : `${message.kind}.${message.state}`;
  return JSON.stringify({
    type,
    timestamp: new Date(message.createdAtMs).toISOString(),
    data: {
      ...{ key: message.key, title: toLine(title), text: lines.map(toLine).join('\n') },
      ...{ details: message.details, server: publicUrl ?? null },
    },
  });
}

/** No value can end a line, so none can begin a header. */
function toLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, LINE_CHARS_MAX);
}

const LINE_CHARS_MAX = 500;

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  ...{ '"': '&quot;', "'": '&#39;' },
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
