import { Fragment } from 'react';

/** A sentence of the texts; what stands between `**` is bold. */
export function Words({ text }: { readonly text: string }) {
  return text.split('**').map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
    at % 2 === 1 ? <b key={at}>{part}</b> : <Fragment key={at}>{part}</Fragment>,
  );
}
