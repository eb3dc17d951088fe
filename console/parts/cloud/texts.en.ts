const FIELDS: Readonly<Record<string, string>> = {
  resource: 'Resource',
  api_version: 'API version',
  region: 'Region',
  location: 'Location',
  project: 'Project',
  token_url: 'Token address',
  tenant_id: 'Tenant ID',
  client_id: 'Client ID',
  client_secret: 'Client secret',
  access_key_id: 'Access key ID',
  secret_access_key: 'Secret access key',
  session_token: 'Session token',
  role_arn: 'Role to assume (ARN)',
  external_id: 'External ID',
};

const HELPS: Readonly<Record<string, string>> = {
  api_version: 'Given: the form with deployments. Empty: /openai/v1.',
  location: 'A region, or global.',
  project: 'Empty: that of the service account.',
  token_url: 'For sovereign clouds.',
};

const FORMS: Readonly<Record<string, string>> = {
  key: 'API key',
  entra: 'Application of Entra ID',
  aws: 'Access key, with a role if wanted',
  'service-account': 'Service account',
  workload: 'Identity of this machine',
};

export const en = {
  optional: 'may be empty',
  credential: 'Credential',
  fieldOf: (name: string): string => FIELDS[name] ?? name,
  helpOf: (name: string): string | undefined => HELPS[name],
  formOf: (form: string): string => FORMS[form] ?? form,
  wholeOf: (form: string): string => (form === 'service-account' ? 'JSON key file, its content' : 'Key'),
};
