import { BadInput, show } from '../core/values.ts';

/**
 * What a piece of work is done once for: a whole number, a month (`2026-11`), a week (`2026-W47`), a day
 * (`2026-11-16`) or an instant in UTC (`2026-11-16T03:00:00.000Z`).
 */
export type Occasion = string | number;

/** Occasions of one form can be compared. One series of occasions has one form. */
export type Form = 'number' | 'month' | 'week' | 'day' | 'instant';

const EXPECTED =
  'a whole number, a month (2026-11), a week (2026-W47), a day (2026-11-16), or a date and time with its zone (2026-11-16T03:00:00Z)';

const FORMS: readonly (readonly [Form, RegExp])[] = [
  ['number', /^(?:0|-?[1-9]\d{0,15})$/],
  ['month', /^(\d{4})-(\d\d)$/],
  ['week', /^(\d{4})-W(\d\d)$/],
  ['day', /^(\d{4})-(\d\d)-(\d\d)$/],
  ['instant', /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d:\d\d)$/],
];

const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;
const LAST_WEEK = 53;

/** The one way to write an occasion, so that equal occasions are equal texts. Throws BadInput. */
export function parseOccasion(given: unknown, path = 'occasion'): Occasion {
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') throw new BadInput(path, EXPECTED, show(given));
  for (const [form, pattern] of FORMS) {
    const parts = pattern.exec(text);
    if (parts === null) continue;
    const written = write(form, parts);
    if (written !== null) return written;
  }
  const isZoneless = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text);
  const expected = isZoneless ? 'a zone at the end, Z or +01:00, since replicas may differ' : EXPECTED;
  throw new BadInput(path, expected, show(given));
}

function write(form: Form, parts: RegExpExecArray): Occasion | null {
  const [text, year, second, third, hour, minute, seconds = '0', fraction = '', zone = 'Z'] = parts;
  const [y, part] = [Number(year), Number(second)];
  switch (form) {
    case 'number':
      return Number.isSafeInteger(Number(text)) ? Number(text) : null;
    case 'month':
      return part >= 1 && part <= 12 ? text : null;
    case 'week':
      return part >= 1 && part <= LAST_WEEK ? text : null;
    case 'day':
      return isDay(y, part, Number(third)) ? text : null;
    case 'instant': {
      const offset = offsetMinutes(zone);
      const [h, m, s] = [Number(hour), Number(minute), Number(seconds)];
      if (!isDay(y, part, Number(third)) || offset === null || h > 23 || m > 59 || s > 59) return null;
      const ms = Number(fraction.padEnd(3, '0'));
      const local =
        daysBefore(y, part, Number(third)) * MS_PER_DAY + (h * 60 + m) * MS_PER_MINUTE + s * 1000 + ms;
      return instantAt(local - offset * MS_PER_MINUTE);
    }
  }
}

/** The occasion of this moment, in milliseconds since 1970. Null before the year 0 and after 9999. */
export function instantAt(ms: number): string | null {
  const days = Math.floor(ms / MS_PER_DAY);
  const rest = ms - days * MS_PER_DAY;
  // The calendar repeats every 400 years, which begin here with March, so that leap days come last.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  if (!(year >= 0 && year <= 9999)) return null;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(rest / MS_PER_MINUTE);
  const time = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  const seconds = `${two(Math.floor(rest / 1000) % 60)}.${String(Math.floor(rest % 1000)).padStart(3, '0')}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${time}:${seconds}Z`;
}

export function formOf(occasion: Occasion): Form {
  if (typeof occasion === 'number') return 'number';
  return FORMS.find(([, pattern]) => pattern.test(occasion))![0];
}

/** Below 0 if `a` is earlier. Both have one form, and texts of one form sort by time. */
export function compareOccasions(a: Occasion, b: Occasion): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** When an instant is, in milliseconds since 1970; null for the other forms, which are not moments. */
export function momentOf(occasion: Occasion): number | null {
  if (typeof occasion === 'number') return null;
  const parts = FORMS[4]![1].exec(occasion);
  if (parts === null) return null;
  const [y, mo, d, h, m, s, ms] = parts.slice(1, 8).map(Number);
  return daysBefore(y!, mo!, d!) * MS_PER_DAY + (h! * 60 + m!) * MS_PER_MINUTE + s! * 1000 + ms!;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= lengths[month - 1]!;
}

/** Days since 1970, by the calendar that every country uses. */
function daysBefore(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function offsetMinutes(zone: string): number | null {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
