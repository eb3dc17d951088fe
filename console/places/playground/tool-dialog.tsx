import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input, Textarea } from '../../parts/form/input.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { Stack } from '../../parts/page/layout.tsx';
import { objectOf, type Tool } from './lanes/conversation.ts';
import { usePlaygroundTexts } from './texts.ts';

const NEW_TOOL: Tool = {
  name: '',
  description: '',
  schema:
    '{\n  "type": "object",\n  "properties": {\n    "city": { "type": "string" }\n  },\n  "required": ["city"]\n}',
  answer: '{ "ok": true }',
  on: true,
};

export interface ToolDialogProps {
  /** Undefined: a new one. */
  readonly tool: Tool | undefined;
  /** The names of the other tools. */
  readonly taken: readonly string[];
  readonly onSave: (tool: Tool) => void;
  readonly onRemove: (() => void) | undefined;
  readonly onClose: () => void;
}

export function ToolDialog({ tool, taken, onSave, onRemove, onClose }: ToolDialogProps) {
  const all = usePlaygroundTexts();
  const t = all.tool;
  const [given, setGiven] = useState(tool ?? NEW_TOOL);
  const [isTried, setTried] = useState(false);
  const set = (changed: Partial<Tool>): void => setGiven({ ...given, ...changed });
  const isNamed = /^[\w-]{1,64}$/.test(given.name);
  const nameError = taken.includes(given.name) ? t.nameTaken : isTried && !isNamed && t.nameBad;
  const schemaError = objectOf(given.schema) === undefined && all.parameters.notJson;
  const save = (): void => {
    setTried(true);
    if (isNamed && nameError === false && schemaError === false) onSave(given);
  };
  return (
    <Dialog
      open
      wide
      title={tool === undefined ? t.add : t.edit}
      onClose={onClose}
      onSubmit={save}
      foot={
        <>
          {onRemove !== undefined && (
            <Button variant="danger" onClick={onRemove}>
              {t.remove}
            </Button>
          )}
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button variant="primary" type="submit">
            {t.save}
          </Button>
        </>
      }
    >
      <Stack gap={16}>
        <Field label={t.name} help={t.nameHelp} error={nameError}>
          <Input mono value={given.name} onChange={(event) => set({ name: event.target.value })} />
        </Field>
        <Field label={t.description}>
          <Input value={given.description} onChange={(event) => set({ description: event.target.value })} />
        </Field>
        <Field label={t.schema} error={schemaError}>
          <Textarea
            mono
            rows={8}
            value={given.schema}
            onChange={(event) => set({ schema: event.target.value })}
          />
        </Field>
        <Field label={t.answer} help={t.answerHelp}>
          <Textarea
            mono
            rows={3}
            value={given.answer}
            onChange={(event) => set({ answer: event.target.value })}
          />
        </Field>
      </Stack>
    </Dialog>
  );
}
