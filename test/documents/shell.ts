/** As much of a shell as documents need: words, quotes, comments and several commands on a line. */

/** A comment, an operator between commands, or a word. Quotes keep spaces within a word. */
const TOKEN = /(?<!\S)#.*|(?<!\S)(?:&&|\|\||[|&])(?!\S)|;(?!\S)|(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;]|;(?=\S))+/g;
const REDIRECTION = /^\d?(?:<<?|>>?)/;

/** The commands of a text as lists of words. A backslash at the end continues a line. */
export function commandLines(text: string): readonly (readonly string[])[] {
  return text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(commandsOfLine);
}

function commandsOfLine(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let isTarget = false;
  for (const [token] of line.matchAll(TOKEN)) {
    if (token.startsWith('#')) break;
    if (/^(?:&&|\|\||[|;&])$/.test(token)) commands.push([]);
    else if (REDIRECTION.test(token)) isTarget = token.replace(REDIRECTION, '') === '';
    else if (isTarget) isTarget = false;
    else commands.at(-1)?.push(token.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return commands.filter((words) => words.length > 0);
}
