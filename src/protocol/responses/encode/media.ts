import { endingOfType, typeOfName } from '../../hub/content/media-type.ts';

export function toDataUrl(source: { readonly mime: string; readonly base64: string }): string {
  return `data:${source.mime};base64,${source.base64}`;
}

/** A name with a matching extension: the vendor refuses files without one (rule C-20). */
export function fileName(mime: string, given: string | undefined): string {
  const ending = endingOfType(mime);
  const name = given ?? 'document';
  return ending === undefined || typeOfName(name) !== undefined ? name : `${name}.${ending}`;
}
