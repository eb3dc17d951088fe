export const en = {
  clients: 'Clients',
  languages: 'Language',
  model: 'Model',
  terminal: 'Terminal',
  kinds: { terminal: 'terminal', both: 'JS, Python', javascript: 'JS' },
};
