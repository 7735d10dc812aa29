/** What is wrong with the value of a setting, for people. Pure. */

/** `usual` is the default: its type is the setting's. */
export function wrongSetting(name: string, value: unknown, usual: string | boolean): string {
  const wanted = typeof usual === 'boolean' ? 'true or false' : 'text';
  const advice =
    name === 'interpreter' && Array.isArray(value) && typeof value[0] === 'string'
      ? `write ${JSON.stringify(value[0])}, without brackets`
      : 'it is ignored';
  return `The setting helix.${name} must be ${wanted}, and is ${typeName(value)}; ${advice}.`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
