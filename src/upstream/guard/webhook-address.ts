import { judgeByokAddress } from './byok-address.ts';

/** The check of a webhook's address: the form that is stored, or why it is refused. */
export type JudgedWebhook =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'refused'; readonly why: string };

/** The same rules as for a BYOK address, but with a query, by which many receivers know their senders. */
export function judgeWebhookAddress(text: string, ownHosts: ReadonlySet<string>): JudgedWebhook {
  const [place = '', ...rest] = text.split('?');
  const judged = judgeByokAddress(place, ownHosts);
  if (judged.kind === 'refused') return { kind: 'refused', why: judged.why.replace(', query', '') };
  if (rest.join('?').includes('#')) return { kind: 'refused', why: 'must have no fragment' };
  const url = URL.parse(text);
  if (url === null) return { kind: 'refused', why: 'must be an address such as https://host/path' };
  return { kind: 'address', url: url.href };
}
