import { Busboy } from '@fastify/busboy';
import { parseForm } from '../../sim/request/multipart.ts';

/** A field as a reader found it: its name, whether it is a file, its content in base64. */
export type Field = readonly [name: string, kind: 'text' | 'file', content: string];

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

/** Node's own fetch. */
export async function readByUndici(contentType: string, body: Buffer): Promise<readonly Field[]> {
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  const fields: Field[] = [];
  for (const [name, value] of await response.formData()) {
    if (typeof value === 'string') fields.push([name, 'text', base64(value)]);
    else fields.push([name, 'file', base64(new Uint8Array(await value.arrayBuffer()))]);
  }
  return fields;
}

export function readByBusboy(contentType: string, body: Buffer): Promise<readonly Field[]> {
  return new Promise((resolve, reject) => {
    const fields: Field[] = [];
    const reader = new Busboy({ headers: { 'content-type': contentType } });
    reader.on('field', (name, value) => fields.push([name, 'text', base64(value)]));
    reader.on('file', (name, stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => fields.push([name, 'file', base64(Buffer.concat(chunks))]));
    });
    reader.on('finish', () => resolve(fields));
    reader.on('error', reject);
    reader.end(body);
  });
}

/** The simulators' own, which takes the first thing that looks right. */
export function readBySimulator(contentType: string, body: Buffer): readonly Field[] | undefined {
  return parseForm(contentType, body)?.map(({ name, filename, data }) => [
    name,
    filename === undefined ? 'text' : 'file',
    base64(data),
  ]);
}

/** Readers tell texts and files in an order of their own. */
export function inOrder(fields: readonly Field[]): readonly string[] {
  return fields.map((field) => JSON.stringify(field)).sort();
}
