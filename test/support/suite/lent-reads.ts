import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';

/**
 * Sockets that read to memory of the caller's lend what they read: here it is overwritten as soon as the
 * caller has looked at it, so that whoever kept it without a copy is found out in every test.
 */
type Connect = (first: unknown, ...rest: unknown[]) => net.Socket;
const DONE = Symbol.for('tollgate.lent-reads');
// Files that share a process share Node's modules too: once is enough.
if (!(DONE in net)) {
  for (const module of [net, tls] as unknown as { connect: Connect }[]) {
    const { connect } = module;
    module.connect = (first, ...rest) =>
      connect(lends(first) ? { ...first, onread: lent(first.onread) } : first, ...rest);
  }
  Object.assign(net, { [DONE]: true });
  syncBuiltinESMExports();
}

/** Sockets are asked for in many ways; ours name where they read to. */
function lends(first: unknown): first is { readonly onread: net.OnReadOpts } {
  return typeof first === 'object' && first !== null && 'onread' in first;
}

function lent({ buffer, callback }: net.OnReadOpts): net.OnReadOpts {
  const lentCallback = (length: number, bytes: Uint8Array): boolean => {
    const goesOn = callback(length, bytes);
    bytes.fill(0x23, 0, length);
    return goesOn;
  };
  return { buffer, callback: lentCallback };
}
