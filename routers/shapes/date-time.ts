/** A moment on the wire: RFC 3339 in UTC with milliseconds. */
import { z } from 'zod';

export const dateTime = z.string().meta({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] });

/** What `toISOString` says, in a third of its time, which is what a list of tickets mostly costs. */
export function presentMoment(moment: Date): string {
  const year = moment.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return moment.toISOString(); // has more digits to write, or throws
  const day = `${year}-${two(moment.getUTCMonth() + 1)}-${two(moment.getUTCDate())}`;
  const time = `${two(moment.getUTCHours())}:${two(moment.getUTCMinutes())}:${two(moment.getUTCSeconds())}`;
  return `${day}T${time}.${three(moment.getUTCMilliseconds())}Z`;
}

const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);
const three = (value: number) => (value < 100 ? `0${two(value)}` : `${value}`);
