import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';

/**
 * Sockets that read to memory of the caller's lend what they read: here it is overwritten as soon as the
 * caller has looked at it, so that whoever kept it without a copy is found out in every test.
 */
for (const module of [net, tls] as { connect: typeof net.connect }[]) {
  const { connect } = module;
  module.connect = ((options: net.NetConnectOpts, ...rest: []) =>
    connect(
      { ...options, ...(options.onread && { onread: lent(options.onread) }) },
      ...rest,
    )) as typeof connect;
}
syncBuiltinESMExports();

function lent({ buffer, callback }: net.OnReadOpts): net.OnReadOpts {
  const lentCallback = (length: number, bytes: Uint8Array): boolean => {
    const goesOn = callback(length, bytes);
    bytes.fill(0x23, 0, length);
    return goesOn;
  };
  return { buffer, callback: lentCallback };
}
