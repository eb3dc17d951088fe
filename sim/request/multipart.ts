/** The fields of a form, in order; files are there by name, type and bytes. */
export interface FormField {
  readonly name: string;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  readonly data: Buffer;
}

const FIELDS_MAX = 200;
const LINE_END = Buffer.from('\r\n\r\n');

/** Nothing when the body is no form of this boundary. */
export function parseForm(contentType: string, body: Buffer): readonly FormField[] | undefined {
  const match = /^multipart\/form-data;.{0,200}?boundary="?([^";]{1,100})"?/i.exec(contentType);
  if (match === null) return undefined;
  const mark = Buffer.from(`--${match[1]}`);
  const fields: FormField[] = [];
  let at = body.indexOf(mark);
  while (at !== -1 && fields.length < FIELDS_MAX) {
    const start = at + mark.length;
    if (body.subarray(start, start + 2).toString('latin1') === '--') return fields;
    const next = body.indexOf(mark, start);
    if (next === -1) return undefined;
    const field = parseField(body.subarray(start + 2, next - 2));
    if (field === undefined) return undefined;
    fields.push(field);
    at = next;
  }
  return undefined;
}

function parseField(part: Buffer): FormField | undefined {
  const head = part.indexOf(LINE_END);
  if (head === -1) return undefined;
  const lines = part.subarray(0, head).toString();
  const name = /[; ]name="([^"]{0,200})"/i.exec(lines)?.[1];
  if (name === undefined) return undefined;
  return {
    name,
    filename: /filename="([^"]{0,500})"/i.exec(lines)?.[1],
    contentType: /^content-type: ?(.{1,200})$/im.exec(lines)?.[1]?.trim(),
    data: part.subarray(head + LINE_END.length),
  };
}
