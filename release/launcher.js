#!/usr/bin/env node
// Tells a Node that is too old, before it reads anything that it would not understand.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 12)) {
  await import('../dist/tollgate.js');
} else {
  process.exitCode = 1;
  process.stderr.write(
    `tollgate: Node ${process.versions.node} is too old, 24.12 or later is needed. ` +
      'npm can bring it along: npx -p node@24 -p tollgate tollgate demo\n',
  );
}
