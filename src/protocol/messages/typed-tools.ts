/**
 * Tools with a vendor type that the client runs itself. The vendor's models know their input; other models
 * get a schema (rule C-34). The call that comes back is an ordinary `tool_use`.
 */
export interface TypedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: string;
}

const string = { type: 'string' };
const point = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 };
const toEnumSchema = (...values: readonly string[]): object => ({ type: 'string', enum: values });

function tool(name: string, description: string, properties: object, required: readonly string[]): TypedTool {
  return { name, description, schema: JSON.stringify({ type: 'object', properties, required }) };
}

const BASH = tool(
  'bash',
  'Run a command in a persistent bash session. Give `restart` to start the session anew.',
  { command: string, restart: { type: 'boolean' } },
  [],
);

const EDITOR = tool(
  'str_replace_based_edit_tool',
  'View, create and edit text files. `str_replace` replaces one exact occurrence of `old_str`.',
  {
    command: toEnumSchema('view', 'create', 'str_replace', 'insert', 'undo_edit'),
    path: string,
    file_text: string,
    old_str: string,
    new_str: string,
    insert_line: { type: 'integer' },
    insert_text: string,
    view_range: point,
  },
  ['command', 'path'],
);

const MEMORY = tool(
  'memory',
  'Keep notes in files below /memories that outlive the conversation.',
  {
    command: toEnumSchema('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
    path: string,
    file_text: string,
    old_str: string,
    new_str: string,
    insert_line: { type: 'integer' },
    insert_text: string,
    old_path: string,
    new_path: string,
    view_range: point,
  },
  ['command'],
);

const COMPUTER = tool(
  'computer',
  'See the screen and use mouse and keyboard. Coordinates are pixels from the top left.',
  {
    action: toEnumSchema(
      'screenshot',
      'left_click',
      'right_click',
      'middle_click',
      'double_click',
      'triple_click',
      'left_click_drag',
      'left_mouse_down',
      'left_mouse_up',
      'mouse_move',
      'cursor_position',
      'scroll',
      'key',
      'hold_key',
      'type',
      'wait',
      'zoom',
    ),
    coordinate: point,
    start_coordinate: point,
    text: string,
    duration: { type: 'number' },
    scroll_direction: toEnumSchema('up', 'down', 'left', 'right'),
    scroll_amount: { type: 'integer' },
    region: { type: 'array', items: { type: 'integer' }, minItems: 4, maxItems: 4 },
  },
  ['action'],
);

/** Types end with a date. The part before it identifies them. */
const BY_PREFIX: readonly (readonly [string, TypedTool])[] = [
  ['bash_', BASH],
  ['text_editor_', EDITOR],
  ['memory_', MEMORY],
  ['computer_', COMPUTER],
];

export function typedTool(type: string): TypedTool | undefined {
  return BY_PREFIX.find(([prefix]) => type.startsWith(prefix))?.[1];
}
