import { type Json, record, records, string } from '../request/json.ts';

const PICTURES_MAX = 100;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** First bytes of the four kinds, in hexadecimal. */
const BEGINNINGS: ReadonlyMap<string, RegExp> = new Map([
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]);

export function refusePictures(messages: readonly Json[]): string | undefined {
  let count = 0;
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of records(message.content).entries()) {
      if (block.type !== 'image') continue;
      count++;
      const problem = refusePicture(record(block.source), `messages.${index}.content.${at}.image.source`);
      if (problem !== undefined) return problem;
    }
  }
  if (count <= PICTURES_MAX) return undefined;
  return `messages: too many images: ${count} > ${PICTURES_MAX}`;
}

function refusePicture(source: Json, path: string): string | undefined {
  if (source.type !== 'base64') return undefined;
  const data = string(source.data);
  if (data.length % 4 !== 0 || !BASE64.test(data)) return `${path}.base64: invalid base64 data`;
  const media = string(source.media_type);
  const beginning = Buffer.from(data.slice(0, 64), 'base64').toString('hex');
  if (BEGINNINGS.get(media)?.test(beginning) === true) return undefined;
  const real = [...BEGINNINGS].find(([, pattern]) => pattern.test(beginning))?.[0];
  if (real === undefined) return `${path}.base64.data: Could not process image`;
  return (
    `${path}.base64.data: The image was specified using the ${media} media type, ` +
    `but the image appears to be a ${real} image`
  );
}
