import type { Sealed } from '../../store/backup/about.ts';

/** What cannot be read without the secret. */
export function describeSealed(sealed: Sealed): string {
  const parts = [
    count(sealed.credentials, 'vendor credential'),
    count(sealed.byok_credentials, 'BYOK credential'),
    count(sealed.documents, 'document number'),
    count(sealed.conversations, 'stored conversation'),
  ];
  return (
    `Without the secret these cannot be decrypted: ${parts.join(', ')}; and all logins end. ` +
    'Accounts, passwords, API keys, money and logs do not need it.'
  );
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`;
}
