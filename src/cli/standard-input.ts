/**
 * A secret: read from standard input, because an argument stands in the shell's history and in the list of
 * processes. No more is kept than shows that it is too long, its end of line included.
 */
export async function readStandardInput(lengthMax: number): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > lengthMax + 2) break;
  }
  return text.replace(/\r?\n$/, '');
}
