/**
 * Reads a secret from standard input, because arguments are visible in the shell's history and in the list of
 * processes. It keeps at most one byte more than allowed, to detect a secret that is too long.
 */
export async function readStandardInput(lengthMax: number): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > lengthMax + 2) break;
  }
  return text.replace(/\r?\n$/, '');
}
