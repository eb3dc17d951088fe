import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

const SCHEMA = readFileSync(new URL('./otlp.proto', import.meta.url), 'utf8');
/** The schema of what is received. */
export const OTLP = protobuf.parse(SCHEMA, { keepCase: true }).root.resolveAll();

/** Decodes a request of OTLP. Throws at anything that the schema does not have. */
export function decodeOtlp<Message>(name: 'Traces' | 'Metrics' | 'Logs', bytes: Uint8Array): Message {
  const type = OTLP.lookupType(name);
  checkWire(type, bytes);
  const message = type.decode(bytes);
  return type.toObject(message, { longs: String, arrays: true, bytes: Buffer, oneofs: true }) as Message;
}

const LENGTH_DELIMITED = 2;
const BASIC: Readonly<Record<string, number>> = protobuf.types.basic;

/** protobufjs skips what it does not know. This throws: at unknown fields, other wire types, broken UTF-8. */
function checkWire(type: protobuf.Type, bytes: Uint8Array): void {
  const reader = protobuf.Reader.create(bytes);
  const seen = new Set<string>();
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const field = type.fieldsById[tag >>> 3];
    if (field === undefined) throw new Error(`${type.name} has no field ${tag >>> 3}`);
    if ((tag & 7) !== wireOf(field)) throw new Error(`${type.name}.${field.name} has wire type ${tag & 7}`);
    const single = field.partOf?.name ?? field.name;
    if (!field.repeated && seen.has(single)) throw new Error(`${type.name}.${single} stands twice`);
    seen.add(single);
    if (field.resolvedType instanceof protobuf.Type) checkWire(field.resolvedType, reader.bytes());
    else if (field.type === 'string') new TextDecoder('utf-8', { fatal: true }).decode(reader.bytes());
    else reader.skipType(tag & 7);
  }
}

function wireOf(field: protobuf.Field): number {
  const isPacked = field.repeated && field.type in protobuf.types.packed;
  return isPacked ? LENGTH_DELIMITED : (BASIC[field.type] ?? LENGTH_DELIMITED);
}
