/** The settings of `caucus reconfigure`, as they are sent to a member, which checks them. */
import type { Json } from '../../../core/index.ts';
import { Refusal } from '../../input/refusal.ts';

interface Asked {
  readonly body: object;
  readonly urls: readonly string[];
}

/** Settings come first, but the URLs of members may stand between them. */
export function readReconfiguration([first, ...rest]: readonly string[]): Asked {
  const isSetting = (arg: string): boolean => /^(timing[.=]|options\.)/.test(arg);
  const settings = [first!, ...rest.filter(isSetting)];
  const isOption = (setting: string): boolean => setting.startsWith('options.');
  const [options, timing] = [settings.filter(isOption), settings.filter((each) => !isOption(each))];
  const body = {
    ...(timing.length === 0 ? {} : { timing: readTiming(timing) }),
    ...(options.length === 0 ? {} : { options: readOptions(options) }),
  };
  return { body, urls: rest.filter((arg) => !isSetting(arg)) };
}

function readOptions(settings: readonly string[]): Json {
  const found: Record<string, Json> = {};
  for (const each of settings) {
    const [, name, value] = /^options\.(\w+)=(.+)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined) throw unknownSetting(each);
    if (Object.hasOwn(found, name)) throw twice(name);
    found[name] = readValue(`options.${name}`, 'a number, or null', value);
  }
  return found;
}

function unknownSetting(found: string): Refusal {
  return new Refusal(
    `SETTING: expected timing=PRESET, timing.NAME=VALUE or options.NAME=VALUE, found ${JSON.stringify(found)}`,
  );
}

function twice(name: string): Refusal {
  return new Refusal(`SETTING: expected each once, found ${name} twice`);
}

/** A preset, or times by name, with the preset beside them if there is one. */
function readTiming(settings: readonly string[]): Json {
  const found: Record<string, Json> = {};
  for (const each of settings) {
    const [, name = 'preset', value] = /^timing(?:\.(\w+))?=(.+)$/s.exec(each) ?? [];
    if (value === undefined) throw unknownSetting(each);
    if (Object.hasOwn(found, name)) throw twice(name);
    found[name] =
      name === 'preset'
        ? value
        : readValue(`timing.${name}`, 'a number of milliseconds, or [least,most]', value);
  }
  return Object.keys(found).length === 1 && found.preset !== undefined ? found.preset : found;
}

function readValue(path: string, expected: string, text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    // A number that is too large would be sent as null, which has a meaning of its own.
    if ([value].flat().every((each) => typeof each !== 'number' || Number.isFinite(each))) return value;
    throw new SyntaxError();
  } catch {
    throw new Refusal(`${path}: expected ${expected}, found ${JSON.stringify(text)}`);
  }
}
