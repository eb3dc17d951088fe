import {
  anything,
  either,
  flag,
  integer,
  list,
  map,
  number,
  oneOf,
  type Shape,
  struct,
  text,
} from '../request/shape.ts';

/** int64 fields may be strings on the wire. */
const long = either(integer(), text({ pattern: /^-?\d+$/ }));
const blob = struct({ mimeType: text(), data: text(), displayName: text() });
const fileData = struct({ mimeType: text(), fileUri: text(), displayName: text() });

const functionResponse = struct({
  id: text(),
  name: text(),
  response: map(anything),
  parts: list(struct({ inlineData: blob, fileData })),
  scheduling: text(),
  willContinue: flag,
});

/** The payloads of a part: exactly one of them. */
export const PAYLOADS = {
  text: text(),
  inlineData: blob,
  fileData,
  functionCall: struct({ id: text(), name: text(), args: map(anything) }),
  functionResponse,
  executableCode: anything,
  codeExecutionResult: anything,
  toolCall: anything,
  toolResponse: anything,
};

const part = struct({
  ...PAYLOADS,
  thought: flag,
  thoughtSignature: text(),
  videoMetadata: anything,
  mediaResolution: anything,
  partMetadata: anything,
});

const contentShape = struct({ role: text(), parts: list(part) });

const TYPES = ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];

/** Google's Schema knows these keywords and no others (rule V-8). */
const schemaFields: Record<string, Shape> = {
  type: oneOf(...TYPES, ...TYPES.map((type) => type.toLowerCase())),
  format: text(),
  title: text(),
  description: text(),
  nullable: flag,
  enum: list(text()),
  minItems: long,
  maxItems: long,
  required: list(text()),
  minProperties: long,
  maxProperties: long,
  minimum: number(),
  maximum: number(),
  minLength: long,
  maxLength: long,
  pattern: text(),
  example: anything,
  propertyOrdering: list(text()),
  default: anything,
};

function schemaOfDepth(depth: number): Shape {
  if (depth === 0) return anything;
  const inner = schemaOfDepth(depth - 1);
  return struct({ ...schemaFields, items: inner, properties: map(inner), anyOf: list(inner) });
}

const SCHEMA_DEPTH = 8;
const schema = schemaOfDepth(SCHEMA_DEPTH);

const functionDeclaration = struct({
  name: text(),
  description: text(),
  parameters: schema,
  parametersJsonSchema: anything,
  response: schema,
  responseJsonSchema: anything,
  behavior: oneOf('UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING'),
});

const tool = struct({
  functionDeclarations: list(functionDeclaration),
  googleSearch: struct({
    searchTypes: struct({ webSearch: map(anything), imageSearch: map(anything) }),
    timeRangeFilter: struct({ startTime: text(), endTime: text() }),
  }),
  googleSearchRetrieval: struct({
    dynamicRetrievalConfig: struct({
      mode: oneOf('MODE_UNSPECIFIED', 'MODE_DYNAMIC'),
      dynamicThreshold: number(),
    }),
  }),
  codeExecution: anything,
  urlContext: anything,
  computerUse: anything,
  fileSearch: anything,
  googleMaps: anything,
  mcpServers: anything,
});

const MODES = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'];
const toolConfig = struct({
  functionCallingConfig: struct({
    mode: oneOf(...MODES, ...MODES.map((mode) => mode.toLowerCase())),
    allowedFunctionNames: list(text()),
  }),
  retrievalConfig: anything,
  includeServerSideToolInvocations: flag,
});

const LEVELS = ['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
const generationConfig = struct({
  candidateCount: integer(),
  stopSequences: list(text()),
  maxOutputTokens: integer(),
  temperature: number(),
  topP: number(),
  topK: number(),
  seed: integer(),
  presencePenalty: number(),
  frequencyPenalty: number(),
  responseLogprobs: flag,
  logprobs: integer(),
  responseMimeType: text(),
  responseSchema: schema,
  responseJsonSchema: anything,
  _responseJsonSchema: anything,
  responseFormat: anything,
  responseModalities: list(oneOf('MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO')),
  enableAffectiveDialog: flag,
  enableEnhancedCivicAnswers: flag,
  speechConfig: anything,
  translationConfig: anything,
  thinkingConfig: struct({
    includeThoughts: flag,
    thinkingBudget: integer(),
    thinkingLevel: oneOf(...LEVELS, ...LEVELS.map((level) => level.toLowerCase())),
  }),
  imageConfig: struct({ aspectRatio: text(), imageSize: text() }),
  mediaResolution: text(),
});

const request = {
  model: text(),
  contents: list(contentShape),
  systemInstruction: contentShape,
  tools: list(tool),
  toolConfig,
  safetySettings: list(struct({ category: text(), threshold: text() })),
  generationConfig,
  cachedContent: text(),
  serviceTier: text(),
  store: flag,
};

export const GENERATE_REQUEST: Shape = struct(request);
/** Beside `contents`, the Gemini API counts only what stands in the envelope. */
export const COUNT_REQUEST: Shape = struct({
  contents: list(contentShape),
  generateContentRequest: struct(request),
});
