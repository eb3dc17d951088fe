import type { Random } from '../../src/kernel/random.ts';

/**
 * Each of these is exactly one token of o200k_base, bare and behind a space (words.test.ts proves it). So a
 * text of n words is n tokens, whoever counts them, and the truth of an answer needs no tokenizer.
 */
const PLAIN = (
  'time year people way day man thing woman life child world school state family student group country ' +
  'problem hand part place case week company system program question work government number night point ' +
  'home water room mother area money story fact month lot right study book eye job word business issue ' +
  'side kind head house service friend father power hour game line end member law car city community ' +
  'name team minute idea body information back parent face others level office door health person art ' +
  'history party result change reason research girl moment air teacher force education foot boy age ' +
  'policy process music market sense nation plan college interest experience effect use class control ' +
  'care field development role rate heart show leader light voice mind price report decision son view ' +
  'relationship town road arm difference value building action season tax director position player ' +
  'record paper space ground form event official matter center site project activity star table need ' +
  'court oil cost industry figure street image phone data picture practice piece land product doctor ' +
  'wall patient worker news test movie north love support technology '
)
  .trim()
  .split(' ');

/** The same promise with two, three and four bytes a character, for cuts inside of one. */
const UNICODE =
  'город дом 世界 中国 时间 工作 公司 日本 오늘 année été für über más não 😀 😊 👍 في هذا من'.split(' ');

export type Vocabulary = 'plain' | 'unicode';

export const VOCABULARIES: Readonly<Record<Vocabulary, readonly string[]>> = {
  plain: PLAIN,
  unicode: UNICODE,
};

/** Words as a model streams them: the first bare, the others with the space in front. */
export function drawTokens(random: Random, count: number, vocabulary: Vocabulary): readonly string[] {
  const words = VOCABULARIES[vocabulary];
  return Array.from({ length: count }, (_, index) => {
    const word = words[Math.floor(random.unit() * words.length)] ?? 'word';
    return index === 0 ? word : ` ${word}`;
  });
}
