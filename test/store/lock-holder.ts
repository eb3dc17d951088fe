import { describeHeld, lockDataDirectory } from '../../src/store/embedded/lock.ts';

// Started by lock.test.ts: takes the lock of a directory at a given instant, as a server does, and keeps it.
const [, , directory = '', startAt = '0'] = process.argv;
while (Date.now() < Number(startAt)) {
  // Busy on purpose: a timer would spread the starters by milliseconds.
}
const result = await lockDataDirectory(directory);
if (result.kind === 'held') {
  console.log(describeHeld(directory, result));
  process.exitCode = 1;
} else {
  console.log('locked');
  setInterval(() => {}, 60_000);
}
