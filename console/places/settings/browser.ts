export interface Browser {
  readonly name: string;
  readonly system: string | undefined;
}

/** The more special first: Edge calls itself Chrome, and Chrome Safari. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\/|Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

function first(agent: string, all: typeof NAMES): string | undefined {
  return all.find(([form]) => form.test(agent))?.[1];
}

/** What a `User-Agent` names. Undefined if it is no browser that is known. */
export function browserOf(agent: string): Browser | undefined {
  const name = first(agent, NAMES);
  return name === undefined ? undefined : { name, system: first(agent, SYSTEMS) };
}
