/** Whether a client's stream is complete: every text in its place, the usage, the terminator. */
import { DIALECTS, type DialectName, TEXTS } from './dialect.ts';

const TERMINATOR_BYTES = 16 * 1024;

/** Made once for each pair: streams are compared with what they must hold, not parsed. */
export function createVerifier(client: DialectName): (body: Buffer) => string | undefined {
  const { textMarker, usageMarker, terminator } = DIALECTS[client];
  const marker = Buffer.from(textMarker);
  const texts = TEXTS.map((text) => Buffer.from(`${textMarker}${JSON.stringify(text)}`));
  return (body) => {
    let at = 0;
    for (const [index, text] of texts.entries()) {
      at = body.indexOf(marker, at);
      if (at < 0 || body.compare(text, 0, text.length, at, at + text.length) !== 0)
        return `text ${index} is not there`;
      at += text.length;
    }
    // The last event of Responses repeats the whole text, so its name stands well before the end.
    const end =
      client === 'responses' ? body.indexOf(terminator, at) : body.indexOf(terminator, -TERMINATOR_BYTES);
    if (end < 0) return 'stream without its terminator';
    return body.includes(usageMarker, at) ? undefined : 'stream without usage';
  };
}
