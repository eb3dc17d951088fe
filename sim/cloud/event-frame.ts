import { crc32 } from 'node:zlib';

/** One message of an AWS event stream: prelude, headers, payload, and both checksums. */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)));
  const body = Buffer.from(payload);
  const total = 12 + head.length + body.length + 4;
  const frame = Buffer.alloc(total);
  frame.writeUInt32BE(total, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, 12);
  body.copy(frame, 12 + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, total - 4)), total - 4);
  return frame;
}

function textHeader(name: string, value: string): Buffer {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(3);
  size[0] = 7;
  size.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), size, bytes]);
}

/** An event of a model: its bytes in base64, padded as Bedrock pads. */
export function chunkFrame(data: string): Buffer {
  const payload = JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh' });
  return eventFrame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    payload,
  );
}

export function exceptionFrame(type: string, message: string): Buffer {
  return eventFrame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );
}
