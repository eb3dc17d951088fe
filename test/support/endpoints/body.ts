/** The body of a request, and the headers that it needs. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The same with what it was made of: members of an object, or fields of a form. */
export interface MadeBody extends Sent {
  readonly kind: 'json' | 'form';
  readonly members: Readonly<Record<string, unknown>>;
}

export function jsonBody(members: Readonly<Record<string, unknown>>): MadeBody {
  const headers = { 'content-type': 'application/json' };
  return { headers, body: Buffer.from(JSON.stringify(members)), kind: 'json', members };
}

/** A file of a form. */
export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly data: Buffer;
}

type FormValue = string | FormFile;

const BOUNDARY = 'tollgate-test-boundary';

export function formBody(fields: Readonly<Record<string, FormValue>>): MadeBody {
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(
      typeof value === 'string'
        ? '\r\n\r\n'
        : `; filename="${value.name}"\r\nContent-Type: ${value.type}\r\n\r\n`,
    ),
    typeof value === 'string' ? Buffer.from(value) : value.data,
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    kind: 'form',
    members: fields,
  };
}

const BYTES_PER_SECOND = 16_000;
const HEADER_BYTES = 44;

/** So many seconds of silence, as WAV. */
export function silentSound(seconds: number): FormFile {
  const data = Buffer.alloc(HEADER_BYTES + Math.round(seconds * BYTES_PER_SECOND));
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(data.length - 8, 4);
  data.write('WAVEfmt ', 8, 'latin1');
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(1, 22);
  data.writeUInt32LE(BYTES_PER_SECOND / 2, 24);
  data.writeUInt32LE(BYTES_PER_SECOND, 28);
  data.writeUInt16LE(2, 32);
  data.writeUInt16LE(16, 34);
  data.write('data', 36, 'latin1');
  data.writeUInt32LE(data.length - HEADER_BYTES, 40);
  return { name: 'silence.wav', type: 'audio/wav', data };
}
