const THEMES = ['auto', 'light', 'dark'] as const;

type Theme = (typeof THEMES)[number];

interface Kept {
  theme: Theme;
  keys: boolean;
  pauseOnAlarm: boolean;
}

const PLACE = 'caucus-playground';
const USUAL: Kept = { theme: 'auto', keys: true, pauseOnAlarm: false };

/** The preferences of this visitor, kept in this browser. */
class Settings {
  theme: Theme = $state(USUAL.theme);
  /** Do single letters act on the stage? */
  keys = $state(USUAL.keys);
  pauseOnAlarm = $state(USUAL.pauseOnAlarm);
  /** The system asks for reduced motion: messages do not fly, and nothing plays by itself. */
  isStill = $state(false);

  constructor() {
    const kept = recall();
    this.theme = kept.theme;
    this.keys = kept.keys;
    this.pauseOnAlarm = kept.pauseOnAlarm;
    const motion = matchMedia('(prefers-reduced-motion: reduce)');
    this.isStill = motion.matches;
    motion.addEventListener('change', () => (this.isStill = motion.matches));
    this.show();
  }

  /** Keeps what was changed, and shows it. */
  keep(): void {
    this.show();
    try {
      const { theme, keys, pauseOnAlarm } = this;
      localStorage.setItem(PLACE, JSON.stringify({ theme, keys, pauseOnAlarm }));
    } catch {
      // Without storage, settings are simply not kept.
    }
  }

  show(): void {
    if (this.theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
}

function recall(): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Record<keyof Kept, unknown>>;
    return {
      theme: THEMES.find((each) => each === kept.theme) ?? USUAL.theme,
      keys: kept.keys !== false,
      pauseOnAlarm: kept.pauseOnAlarm === true,
    };
  } catch {
    return USUAL;
  }
}

export const settings: Settings = new Settings();
