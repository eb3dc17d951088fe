import type { Socket } from 'node:net';

/** What the simulator sees of its clients: the judge of slots, leaks and back-pressure. */
export class Stats {
  requests = 0;
  open = 0;
  peakOpen = 0;
  bytesWritten = 0;
  /** Answers whose socket takes no more right now. */
  blocked = 0;
  blockedPeak = 0;
  aborted = 0;
  readonly sockets = new Set<Socket>();
  socketsSeen = 0;

  connected(socket: Socket): void {
    this.socketsSeen++;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  began(): void {
    this.requests++;
    this.open++;
    this.peakOpen = Math.max(this.peakOpen, this.open);
  }

  ended(): void {
    this.open--;
  }

  waiting(): void {
    this.blocked++;
    this.blockedPeak = Math.max(this.blockedPeak, this.blocked);
  }

  flowing(): void {
    this.blocked--;
  }

  snapshot(): StatsView {
    const { requests, open, peakOpen, bytesWritten, blocked, blockedPeak, aborted, socketsSeen } = this;
    const sockets = this.sockets.size;
    return {
      requests,
      open,
      peakOpen,
      bytesWritten,
      blocked,
      blockedPeak,
      aborted,
      sockets,
      socketsSeen,
    };
  }

  /** Counters start again; what is open stays open. */
  clear(): void {
    this.requests = 0;
    this.peakOpen = this.open;
    this.bytesWritten = 0;
    this.blockedPeak = this.blocked;
    this.aborted = 0;
    this.socketsSeen = this.sockets.size;
  }
}

export interface StatsView {
  readonly requests: number;
  readonly open: number;
  readonly peakOpen: number;
  readonly bytesWritten: number;
  readonly blocked: number;
  readonly blockedPeak: number;
  readonly aborted: number;
  readonly sockets: number;
  readonly socketsSeen: number;
}
