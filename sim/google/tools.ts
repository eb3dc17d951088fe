import { DEPTH_MAX } from '../bounds.ts';
import type { GoogleModel } from '../models.ts';
import { type Json, record, records, string, strings } from '../request/json.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

export function refuseTools(body: Json, model: GoogleModel): string | undefined {
  const tools = records(body.tools);
  const names: string[] = [];
  for (const [index, tool] of tools.entries()) {
    for (const [at, declaration] of records(tool.functionDeclarations).entries()) {
      const path = `* GenerateContentRequest.tools[${index}].function_declarations[${at}]`;
      const problem = refuseDeclaration(declaration, path);
      if (problem !== undefined) return problem;
      const name = string(declaration.name);
      if (names.includes(name)) return `Duplicate function declaration found: ${name}`;
      names.push(name);
    }
  }
  // Gemini 1.5 called it so; none of these models does.
  if (tools.some((tool) => tool.googleSearchRetrieval !== undefined)) {
    return 'google_search_retrieval is not supported. Please use google_search tool instead.';
  }
  const builtIn = tools.some((tool) => Object.keys(tool).some((name) => name !== 'functionDeclarations'));
  if (model.generation < 3 && builtIn && names.length > 0) {
    return 'Tool use with function calling is unsupported';
  }
  return refuseAllowed(body, names);
}

function refuseDeclaration(declaration: Json, path: string): string | undefined {
  if (!NAME.test(string(declaration.name))) {
    return (
      `${path}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. ` +
      'Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), ' +
      'with a maximum length of 64.'
    );
  }
  if (declaration.parameters === undefined) return undefined;
  if (declaration.parametersJsonSchema !== undefined) {
    return `${path}.parameters_json_schema: parameters and parameters_json_schema are mutually exclusive.`;
  }
  return refuseSchema(record(declaration.parameters), `${path}.parameters`, 0);
}

/** The rules of Google's Schema beyond its list of keywords. */
export function refuseSchema(schema: Json, path: string, depth: number): string | undefined {
  if (depth > DEPTH_MAX) return undefined;
  const type = string(schema.type).toUpperCase();
  const properties = record(schema.properties);
  const names = Object.keys(properties);
  // A function without parameters may have an empty object on top; inside of one it is refused.
  if (type === 'OBJECT' && names.length === 0 && depth > 0)
    return `${path}.properties: should be non-empty for OBJECT type`;
  if (type === 'ARRAY' && schema.items === undefined) return `${path}.items: missing field.`;
  if (schema.enum !== undefined && type !== 'STRING') return `${path}.enum: only allowed for STRING type`;
  const undefinedAt = strings(schema.required).findIndex((name) => !names.includes(name));
  if (undefinedAt !== -1) return `${path}.required[${undefinedAt}]: property is not defined`;
  for (const name of names) {
    const problem = refuseSchema(record(properties[name]), `${path}.properties[${name}]`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return schema.items === undefined
    ? undefined
    : refuseSchema(record(schema.items), `${path}.items`, depth + 1);
}

function refuseAllowed(body: Json, names: readonly string[]): string | undefined {
  const config = record(record(body.toolConfig).functionCallingConfig);
  const allowed = strings(config.allowedFunctionNames);
  const mode = string(config.mode).toUpperCase();
  if (mode === 'ANY' && names.length === 0) {
    return 'Function calling mode is set to ANY but no function declarations are provided.';
  }
  if (allowed.length === 0) return undefined;
  if (mode !== 'ANY' && mode !== 'VALIDATED') {
    return 'Function calling config: allowed_function_names should only be set when the mode is ANY.';
  }
  const unknown = allowed.find((name) => !names.includes(name));
  if (unknown === undefined) return undefined;
  return `Function calling config: allowed_function_names contains an undeclared function: ${unknown}`;
}
