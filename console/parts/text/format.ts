/**
 * How figures are written. Amounts are decimal strings of the server and stay strings: separators and zeros
 * are added, no digit is lost.
 */
import type { Language } from '../../texts/language.ts';

/** Where there is no value. */
export const NOTHING = '–';
const MINUS = '−';

interface Parts {
  readonly minus: boolean;
  readonly whole: string;
  readonly decimals: string;
}

function split(amount: string): Parts | undefined {
  const [, sign, whole = '', decimals = ''] = /^([-−+]?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === '') return undefined;
  return { minus: sign === '-' || sign === MINUS, whole: whole.replace(/^0+(?=\d)/, ''), decimals };
}

function group(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ',');
}

function isZero(parts: Parts): boolean {
  return /^0*$/.test(parts.whole + parts.decimals);
}

/** `min` decimals at least; zeros beyond them are dropped, other digits never. */
function decimal(parts: Parts, min: number): string {
  const kept = parts.decimals.replace(/0+$/, '').padEnd(min, '0');
  return kept === '' ? group(parts.whole) : `${group(parts.whole)}.${kept}`;
}

export interface MoneyStyle {
  /** Two for balances and prices, six for calls. */
  readonly decimals?: 2 | 6 | undefined;
  /** Empty where the heading names it. */
  readonly currency?: string | undefined;
  /** A sign on what is more, too. */
  readonly signed?: boolean | undefined;
}

/** ¥1,284.50; with six decimals ¥0.263301. What is no decimal is shown as it came. */
export function money(amount: string | null | undefined, style: MoneyStyle = {}): string {
  if (amount === null || amount === undefined || amount === '') return NOTHING;
  const parts = split(amount);
  if (parts === undefined) return amount;
  const sign = parts.minus && !isZero(parts) ? MINUS : style.signed === true && !isZero(parts) ? '+' : '';
  return `${sign}${style.currency ?? '¥'}${decimal(parts, style.decimals ?? 2)}`;
}

/** Credits without trailing zeros: 263.301, 48,475. */
export function credits(amount: string | null | undefined, style: Pick<MoneyStyle, 'signed'> = {}): string {
  if (amount === null || amount === undefined || amount === '') return NOTHING;
  const parts = split(amount);
  if (parts === undefined) return amount;
  const sign = parts.minus && !isZero(parts) ? MINUS : style.signed === true && !isZero(parts) ? '+' : '';
  return `${sign}${decimal(parts, 0)}`;
}

/** A price for a million: ¥21.60/M. */
export function pricePerMillion(amount: string | null | undefined): string {
  const written = money(amount);
  return written === NOTHING ? NOTHING : `${written}/M`;
}

/** In full, for tables: 30,192. */
export function count(value: number | bigint | string | null | undefined): string {
  if (value === null || value === undefined || value === '') return NOTHING;
  const parts = split(typeof value === 'number' ? plain(value) : String(value));
  if (parts === undefined) return String(value);
  return `${parts.minus && !isZero(parts) ? MINUS : ''}${decimal(parts, 0)}`;
}

/** A number as digits, without an exponent. */
function plain(value: number): string {
  return Number.isFinite(value) ? value.toFixed(Number.isInteger(value) ? 0 : 6) : String(value);
}

export interface Figure {
  readonly figure: string;
  /** Small and grey behind the figure; empty where there is none. */
  readonly unit: string;
}

interface ShortUnit {
  readonly unit: string;
  readonly size: number;
  /** Below it the next smaller unit is taken. */
  readonly from: number;
}

/** Largest first. A figure that would be rounded up to the next unit takes that unit. */
const SHORT: Readonly<Record<Language, readonly ShortUnit[]>> = {
  en: [
    { unit: 'B', size: 1e9, from: 999.5e6 },
    { unit: 'M', size: 1e6, from: 999.5e3 },
    { unit: 'K', size: 1e3, from: 1e4 },
  ],
  zh: [
    { unit: '亿', size: 1e8, from: 99_995_000 },
    { unit: '万', size: 1e4, from: 1e4 },
  ],
};

/** Three digits or all of the whole ones: 96.4, 1.86, 9,640. */
function threeDigits(value: number): string {
  return count(value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2));
}

/** In short, for tiles: 96.4 M, in Chinese 9,640 万. */
export function countShort(value: number, language: Language): Figure {
  const size = Math.abs(value);
  const short = SHORT[language].find(({ from }) => size >= from);
  if (short === undefined) return { figure: count(Math.round(value)), unit: '' };
  return { figure: `${value < 0 ? MINUS : ''}${threeDigits(size / short.size)}`, unit: short.unit };
}

/** A figure with its unit in one string: 96.4 M. */
export function written({ figure, unit }: Figure): string {
  return unit === '' ? figure : `${figure} ${unit}`;
}

/** The figure of a ratio, 0.0042 → 0.42. */
function percentFigure(ratio: number): string {
  const value = Math.abs(ratio) * 100;
  if (value === 0 || value === 100) return String(value);
  return count(value.toFixed(value < 1 ? 2 : 1).replace(/^0\.00$/, '0'));
}

/** 0.0042 → 0.42 %. */
export function percent(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined || !Number.isFinite(ratio)) return NOTHING;
  const figure = percentFigure(ratio);
  return `${ratio < 0 && figure !== '0' ? MINUS : ''}${figure} %`;
}

/** A change with its sign: −8.2 %. */
export function percentDelta(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined || !Number.isFinite(ratio)) return NOTHING;
  const figure = percentFigure(ratio);
  return `${figure === '0' ? '' : ratio < 0 ? MINUS : '+'}${figure} %`;
}

/** A change with its sign and as many decimals as told: +0.09. */
export function delta(value: number, decimals = 0): string {
  const figure = count(Math.abs(value).toFixed(decimals));
  const padded = decimals === 0 ? figure : padDecimals(figure, decimals);
  return `${Number(Math.abs(value).toFixed(decimals)) === 0 ? '' : value < 0 ? MINUS : '+'}${padded}`;
}

function padDecimals(figure: string, decimals: number): string {
  const [whole = '', rest = ''] = figure.split('.');
  return `${whole}.${rest.padEnd(decimals, '0')}`;
}

/** A wait: 412 ms below a second, 9.41 s above, 1 min 12, 3 h 04. */
export function duration(ms: number | null | undefined): Figure {
  if (ms === null || ms === undefined) return { figure: NOTHING, unit: '' };
  if (Math.round(ms) < 1_000) return { figure: String(Math.round(ms)), unit: 'ms' };
  if (ms < 59_995) return { figure: (ms / 1_000).toFixed(2), unit: 's' };
  const minutes = Math.floor(Math.round(ms / 1_000) / 60);
  if (minutes < 60) return { figure: `${minutes} min ${two(Math.round(ms / 1_000) % 60)}`, unit: 's' };
  return { figure: `${Math.floor(minutes / 60)} h ${two(minutes % 60)}`, unit: '' };
}

/** What is left: 0:38, 12:05, 3 h 04, 2 d 5 h; 3 小时 4 分, 2 天 5 小时. Never below nothing. */
export function countDown(ms: number, language: Language = 'en'): string {
  const isChinese = language === 'zh';
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  const minutes = Math.ceil(seconds / 60);
  const wholeHours = Math.floor(minutes / 60);
  if (minutes < 2_880) {
    return isChinese ? `${wholeHours} 小时 ${minutes % 60} 分` : `${wholeHours} h ${two(minutes % 60)}`;
  }
  const hours = Math.ceil(minutes / 60);
  const days = Math.floor(hours / 24);
  return isChinese ? `${days} 天 ${hours % 24} 小时` : `${days} d ${hours % 24} h`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
