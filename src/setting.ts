import { isNetwork, isNoProxyEntry, isProxyAddress, readOrigin } from './network-text.ts';

/** A setting: its name, what it means, its default, and how its text becomes a value. */
export interface Setting<Value> {
  readonly name: string;
  readonly meaning: string;
  /** Shown in the documentation; the text that is parsed when the variable is absent. */
  readonly standard: string;
  /** Returns the value, or the reason why the text is not valid. */
  readonly parse: (text: string) => Value | Reason;
  /** Also read by its name in lower case, which yields to the other, as other programs read it. */
  readonly anyCase?: true;
}

/** Why a text is not a value of its setting. */
export class Reason {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const text = (name: string, standard: string, meaning: string): Setting<string> => ({
  name,
  standard,
  meaning,
  parse: (value) => value,
});

export const optional = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => (value === '' ? undefined : value),
});

/** A text that can stand in a header. */
export const headerText = (name: string, standard: string, meaning: string): Setting<string> => ({
  name,
  standard,
  meaning,
  parse: (value) =>
    /^[\x20-\x7e]*$/.test(value) ? value : new Reason('must have printable ASCII characters only'),
});

/** A name that becomes part of a statement. */
export const plainName = (name: string, standard: string, meaning: string): Setting<string> => ({
  name,
  standard,
  meaning,
  parse: (value) =>
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(value)
      ? value
      : new Reason('must consist of letters, digits and _, and begin with no digit'),
});

/** An exact decimal above 0, kept as it is written; nothing by default. */
export const optionalDecimal = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    if (value === '') return undefined;
    const isDecimal = /^\d{1,6}(?:\.\d{1,6})?$/.test(value) && /[1-9]/.test(value);
    return isDecimal ? value : new Reason('must be a decimal above 0, such as 7.2');
  },
});

export const integer = (
  name: string,
  standard: number,
  range: readonly [number, number],
  meaning: string,
): Setting<number> => ({
  name,
  standard: String(standard),
  meaning,
  parse: (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= range[0] && number <= range[1]
      ? number
      : new Reason(`must be a whole number from ${range[0]} to ${range[1]}`);
  },
});

export const choice = <const Value extends string>(
  name: string,
  standard: Value,
  values: readonly Value[],
  meaning: string,
): Setting<Value> => ({
  name,
  standard,
  meaning,
  parse: (value) => values.find((one) => one === value) ?? new Reason(`must be one of ${values.join(', ')}`),
});

/** Hosts in the form of URLs: lower case, IPv6 in brackets, no port where it is the default port. */
export const hosts = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wanted = entries.filter((entry) => entry !== '');
    const wrong = wanted.find((entry) => !/^[^/@?#*\s]+$/.test(entry) || !URL.canParse(`http://${entry}`));
    if (wrong !== undefined)
      return new Reason('must be a list of hosts, each with or without a port, separated by commas');
    return wanted.map((entry) => new URL(`http://${entry}`).host.replace(/:443$/, ''));
  },
});

const ADDRESSES = 'must be a list of addresses or CIDRs (10.0.0.0/8), separated by commas';

export const networks = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wanted = entries.filter((entry) => entry !== '');
    return wanted.every(isNetwork) ? wanted : new Reason(ADDRESSES);
  },
});

const ORIGIN_FORMS = 'https://host, https://host:port or app://host, no path, or null or *';

/** Origins in the form of the `Origin` header: lower case, no default port, no path. */
export const origins = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wanted = entries.filter((entry) => entry !== '');
    const read = wanted.map((entry) => (entry === '*' ? entry : readOrigin(entry)));
    const wrongAt = read.indexOf(undefined);
    if (wrongAt === -1) return read.filter((origin) => origin !== undefined);
    return new Reason(`${wanted[wrongAt]} is not an origin: write ${ORIGIN_FORMS}`);
  },
});

/** The reasons do not repeat what was given: it may hold a password. */
export const proxy = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  anyCase: true,
  parse: (value) => {
    if (value === '') return undefined;
    const address = value.includes('://') ? value : `http://${value}`;
    return isProxyAddress(address) ? address : new Reason(PROXY_ADDRESS);
  },
});

/** An address of the web, without a slash at its end; nothing by default. */
export const webAddress = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    if (value === '') return undefined;
    const isGood = /^https?:\/\/[^/\s]/.test(value) && URL.canParse(value);
    return isGood
      ? new URL(value).href.replace(/\/$/, '')
      : new Reason('must begin with https:// or http://');
  },
});

/** The reason does not repeat what was given: it may hold a password. */
export const smtp = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    if (value === '') return undefined;
    const good = /^smtps?:\/\/[^/\s]/.test(value) && URL.canParse(value) && new URL(value).hostname !== '';
    return good ? value : new Reason('must be smtp://host:port or smtps://host:port, with user:password@');
  },
});

const MAIL_ADDRESS = /^[^\s<>@,;:"()[\]\\]+@[^\s<>@,;:"()[\]\\]+$/;

/** Who mails come from. */
export const sender = (name: string, meaning: string): Setting<string | undefined> => ({
  name,
  standard: '',
  meaning,
  parse: (value) => {
    if (value === '') return undefined;
    const [, address = ''] = /^[^<>"]*<([^<>]+)>$/.exec(value) ?? ['', value];
    return MAIL_ADDRESS.test(address) ? value : new Reason('must be an address, or Name <address>');
  },
});

const PROXY_ADDRESS =
  'must be http://host:port or https://host:port, if need be with user:password@ (percent-encoded)';

export const noProxy: Setting<readonly string[]> = {
  name: 'NO_PROXY',
  standard: '',
  meaning:
    'Hosts reached without a proxy, by commas: `host` and all below it, `.host` below it only, `host:port`, addresses, CIDRs, `*`.',
  anyCase: true,
  parse: (value) => {
    const entries = value.split(/[,\s]+/).filter((entry) => entry !== '');
    const wrong = entries.findIndex((entry) => !isNoProxyEntry(entry));
    return wrong < 0
      ? entries
      : new Reason(`entry ${wrong + 1} is neither host, host:port, address, CIDR nor *`);
  },
};
