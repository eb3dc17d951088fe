import { countTokens } from '../answer/tokens.ts';
import type { GoogleModel } from '../models.ts';
import type { Ask, AskedTool } from '../request/ask.ts';
import { type Json, numeric, record, records, string, strings } from '../request/json.ts';
import { mergeTurns } from './conversation.ts';

const CONTENT_TOKENS = 1;
const IMAGE_TOKENS = 765;
/** What Gemini charges for a picture it made. */
const PICTURE_TOKENS = 1290;

export interface GoogleReading {
  readonly body: Json;
  readonly model: GoogleModel;
  readonly key: string;
  readonly stream: Ask['stream'];
}

export function readGenerate({ body, model, key, stream }: GoogleReading): Ask {
  const config = record(body.generationConfig);
  const contents = records(body.contents);
  const modalities = strings(config.responseModalities);
  // An image model paints unless it is told to write only.
  const wantsImage = model.output === 'image' && (modalities.length === 0 || modalities.includes('IMAGE'));
  return {
    kind: 'ask',
    model,
    stream,
    text: contents
      .filter((content) => content.role !== 'model')
      .flatMap((content) => records(content.parts).map(partText))
      .join('\n'),
    inputTokens: generateInputTokens(body),
    outputTokensMax: numeric(config.maxOutputTokens),
    stops: strings(config.stopSequences),
    tools: records(body.tools).flatMap(readTools),
    choice: readChoice(body),
    parallel: 'many',
    toolRounds: countRounds(contents),
    format: readFormat(config),
    thinking: model.output === 'image' ? 'never' : readThinking(record(config.thinkingConfig)),
    thoughts: record(config.thinkingConfig).includeThoughts === true ? 'shown' : 'hidden',
    images: wantsImage ? 1 : 0,
    imageTokens: PICTURE_TOKENS,
    copies: numeric(config.candidateCount) ?? 1,
    body,
    key,
  };
}

export function partText(part: Json): string {
  const call = record(part.functionCall);
  const answer = record(part.functionResponse);
  if (part.functionCall !== undefined) return string(call.name) + JSON.stringify(call.args ?? {});
  if (part.functionResponse !== undefined) return responseText(answer);
  return string(part.text);
}

/** The text a tool gave back, without the JSON around it, so that a directive inside of it is found. */
function responseText(answer: Json): string {
  const values = Object.values(record(answer.response));
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');
}

/** All text, tool definitions as their JSON, 1 for a content; 765 for an inline picture. */
export function generateInputTokens(body: Json): number {
  let tokens = 0;
  for (const part of records(record(body.systemInstruction).parts)) tokens += countTokens(partText(part));
  for (const content of records(body.contents)) {
    tokens += CONTENT_TOKENS;
    for (const part of records(content.parts)) {
      tokens += countTokens(partText(part));
      if (part.inlineData !== undefined || part.fileData !== undefined) tokens += IMAGE_TOKENS;
    }
  }
  for (const tool of records(body.tools)) tokens += countTokens(JSON.stringify(tool));
  return tokens;
}

function readTools(tool: Json): readonly AskedTool[] {
  return records(tool.functionDeclarations).map((declaration) => ({
    name: string(declaration.name),
    schema: record(declaration.parametersJsonSchema ?? declaration.parameters),
    kind: 'function',
  }));
}

function readChoice(body: Json): Ask['choice'] {
  const config = record(record(body.toolConfig).functionCallingConfig);
  const mode = string(config.mode).toUpperCase();
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [name] = strings(config.allowedFunctionNames);
  return name === undefined ? 'required' : { name };
}

function readFormat(config: Json): Json | undefined {
  if (config.responseMimeType !== 'application/json') return undefined;
  return record(config.responseJsonSchema ?? config.responseSchema);
}

function readThinking(config: Json): Ask['thinking'] {
  if (config.thinkingBudget === 0) return 'never';
  const asked = config.thinkingBudget ?? config.thinkingLevel ?? config.includeThoughts;
  return asked === undefined || asked === false ? 'when-told' : 'asked';
}

/** A model's turn may come in several contents, as the chats of Google's own SDK keep it. */
function countRounds(given: readonly Json[]): number {
  const contents = mergeTurns(given);
  const has = (content: Json, field: string): boolean =>
    records(content.parts).some((part) => part[field] !== undefined);
  const speaks = (content: Json): boolean => content.role !== 'model' && !has(content, 'functionResponse');
  const since = contents.slice(contents.findLastIndex(speaks) + 1);
  return since.filter((content) => has(content, 'functionCall')).length;
}
