/** The settings of a program, for its `--help`. */
import { z } from 'zod';
import { settingDocs } from './meaning';
import { SETTING_GROUPS } from './schema';

/** What a program reads, one setting a line, by the name that docs/settings.md has for the program. */
export function settingsHelp(program: string): string {
  const groups = Object.entries(SETTING_GROUPS).flatMap(([title, settings]) => {
    const lines = Object.entries(settings).flatMap(([name, schema]) => lineOf(name, schema, program));
    return lines.length === 0 ? [] : [`  ${title}`, ...lines];
  });
  return ['', 'Settings (environment variables; docs/settings.md says what they mean):', ...groups].join('\n');
}

function lineOf(name: string, schema: z.ZodType, program: string): string[] {
  if (!settingDocs.get(schema)?.readBy.split(', ').includes(program)) return [];
  return [schema instanceof z.ZodPrefault ? `    ${name}=${schema.def.defaultValue}` : `    ${name}`];
}
