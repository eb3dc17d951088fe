import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 collect young buffers when they take 32 MiB instead of 128. Node 24 has raised that bound above the
 * 64 MiB of new buffers at which V8 marks the whole heap, so it is the whole heap that is marked, again and
 * again (nodejs/node#61967). For 2 GB of bodies of 1 MB: 1 marking instead of 54, and two thirds of the
 * processor time.
 */
export function collectBuffersEarly(): void {
  setFlagsFromString('--scavenger-max-new-space-capacity-mb=8');
}
