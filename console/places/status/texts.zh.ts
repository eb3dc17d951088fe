import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '状态',
  normal: '所有节点运行正常。',
  someDown: (count) => `${count} 个节点不可用。`,
  nodes: '节点',
  refreshed: '每十秒刷新',
  node: '节点',
  state: '状态',
  serving: '服务中',
  down: '不可用',
  region: '地区',
  address: '地址',
  seen: '最近心跳',
  none: '还没有节点上报。',
  unread: '无法读取节点。',
  server: '本服务器',
  version: '版本',
  timeZone: '日与月的时区',
  registration: '注册',
  registrations: { open: '开放', closed: '关闭' },
};
