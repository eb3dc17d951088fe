import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

const FIELDS: Readonly<Record<string, string>> = {
  resource: '资源名称',
  api_version: 'API 版本',
  region: '区域',
  location: '位置',
  project: '项目',
  token_url: '令牌地址',
  tenant_id: '租户 ID',
  client_id: '客户端 ID',
  client_secret: '客户端密码',
  access_key_id: '访问密钥 ID',
  secret_access_key: '私有访问密钥',
  session_token: '会话令牌',
  role_arn: '要担任的角色（ARN）',
  external_id: '外部 ID',
};

const HELPS: Readonly<Record<string, string>> = {
  api_version: '填写则使用部署形式，留空则使用 /openai/v1。',
  location: '区域名称，或 global。',
  project: '留空则使用服务账号所属项目。',
  token_url: '用于主权云。',
};

const FORMS: Readonly<Record<string, string>> = {
  key: 'API 密钥',
  entra: 'Entra ID 应用',
  aws: '访问密钥（可带角色）',
  'service-account': '服务账号',
  workload: '本机身份',
};

export const zh: Translation<typeof en> = {
  optional: '可留空',
  credential: '凭据',
  fieldOf: (name) => FIELDS[name] ?? name,
  helpOf: (name) => HELPS[name],
  formOf: (form) => FORMS[form] ?? form,
  wholeOf: (form) => (form === 'service-account' ? 'JSON 密钥文件内容' : '密钥'),
};
