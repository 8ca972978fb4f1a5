/**
 * How much is shown at once: everything; the stage and one panel beside or below it; or one panel at a time. Measured
 * in em, so that a visitor with a larger font size gets the layout with more room.
 */
export type Room = 'wide' | 'middle' | 'phone';

const WIDE = '(min-width: 76em) and (min-height: 35em)';
const PHONE = '(max-width: 37.5em), (max-width: 43.75em) and (orientation: portrait)';

export function watchRoom(): { readonly current: Room } {
  const wide = matchMedia(WIDE);
  const phone = matchMedia(PHONE);
  const now = (): Room => (wide.matches ? 'wide' : phone.matches ? 'phone' : 'middle');
  let current = $state(now());
  for (const each of [wide, phone]) each.addEventListener('change', () => (current = now()));
  return {
    get current() {
      return current;
    },
  };
}
