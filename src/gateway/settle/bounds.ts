/**
 * When a client leaves a model that reasons out of sight (rule M-10): how long, and for how many bytes, the
 * vendor is read to find the usage, and for how many calls of a process at once. Each keeps its connection
 * and its place in the gate.
 */
export const READ_ON_MS = 5_000;
export const READ_ON_BYTES_MAX = 1024 * 1024;
export const READ_ON_CALLS_MAX = 1_000;
