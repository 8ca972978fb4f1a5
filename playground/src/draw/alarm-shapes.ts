import type { Level } from '../game/words/alarm-words.ts';

/**
 * A sign for each level, distinguished by its outline alone, as a path in a box of 16 by 16 whose inside is cut out
 * (even-odd). Drawn, because not every font has such letters.
 */
export const ALARM_SHAPES: Readonly<Record<Level, string>> = {
  broken:
    'M5 .5H11L15.5 5V11L11 15.5H5L.5 11V5ZM4.6 6.4L6.4 8L4.6 9.6L6.4 11.4L8 9.6L9.6 11.4L11.4 9.6L9.6 8L11.4 6.4L9.6 4.6L8 6.4L6.4 4.6Z',
  warning: 'M8 .8L15.7 15.2H.3ZM7.1 5.6H8.9V10.4H7.1ZM7.1 11.6H8.9V13.4H7.1Z',
  note: 'M8 .5A7.5 7.5 0 1 1 8 15.5A7.5 7.5 0 1 1 8 .5ZM7.1 7H8.9V12H7.1ZM7.1 4H8.9V5.8H7.1Z',
};
