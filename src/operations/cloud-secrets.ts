import type { SecretForm } from '../catalog/presets/cloud-questions.ts';
import { nullable } from './fields.ts';
import { Type } from './schema.ts';

const VARIABLE = nullable(Type.String({ description: 'Where the tools of the cloud read it from.' }));

/** The forms that the secret of a cloud can have; one of them is chosen. */
export const CLOUD_SECRETS = Type.Array(
  Type.Object({
    ...{ form: Type.String(), variable: VARIABLE },
    fixed: nullable(Type.String({ description: 'The whole secret, if nothing is asked for it.' })),
    parts: Type.Array(
      Type.Object({
        ...{ name: Type.String(), required: Type.Boolean(), hidden: Type.Boolean(), variable: VARIABLE },
      }),
      { description: 'None: the secret is one text. Else it is a JSON object of them.' },
    ),
  }),
  { description: 'The forms of a secret. One of them is chosen.' },
);

export function shownSecrets(forms: readonly SecretForm[]): readonly object[] {
  return forms.map(({ name, variable = null, fixed = null, parts }) => ({
    ...{ form: name, variable, fixed },
    parts: parts.map((part) => ({
      ...{ name: part.name, required: part.isRequired, hidden: part.isHidden },
      variable: part.variable ?? null,
    })),
  }));
}
