/** Media types by the extensions of names and addresses. Other types are not guessed (rule C-20). */
const TYPE_OF_ENDING: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['csv', 'text/csv'],
  ['xml', 'text/xml'],
  ['css', 'text/css'],
  ['js', 'text/javascript'],
  ['ts', 'text/x-typescript'],
  ['py', 'text/x-python'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['json', 'application/json'],
  ['rtf', 'application/rtf'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
  ['m4a', 'audio/m4a'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
]);

/** The first extension of each type is the usual one. */
const ENDING_OF_TYPE: ReadonlyMap<string, string> = new Map(
  [...TYPE_OF_ENDING].reverse().map(([ending, type]) => [type, ending]),
);

/** Types that clients write differently from what vendors read. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['application/x-pdf', 'application/pdf'],
]);

const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+'-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+'-]{0,126}$/;

/** A declared type without its parameters (`;charset=`); `undefined` if it is not a media type. */
export function plainType(declared: string): string | undefined {
  const type = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  return TYPE.test(type) ? (USUAL.get(type) ?? type) : undefined;
}

export function typeOfName(name: string | undefined): string | undefined {
  return TYPE_OF_ENDING.get(/\.([a-z0-9]{1,5})$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? '');
}

/** The same for an address, without its query. */
export function typeOfAddress(address: string): string | undefined {
  return typeOfName(address.split(/[?#]/, 1)[0]);
}

/** The file extension of a type; `undefined` for an unknown type. */
export function endingOfType(type: string): string | undefined {
  return ENDING_OF_TYPE.get(type);
}
