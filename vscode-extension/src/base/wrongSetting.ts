/** What is wrong with the value of a setting, for people: by what the manifest says of it. Pure. */

/** What the manifest says of a setting's value. */
export interface Contributed {
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly patternErrorMessage?: string;
}

/** One sentence on the setting `name` (`helix.…`) whose value is none that it can have; undefined where it can. */
export function wrongSetting(name: string, value: unknown, contributed: Contributed): string | undefined {
  const types = typeof contributed.type === 'string' ? [contributed.type] : contributed.type;
  if (!types.some((type) => isOfType(type, value))) {
    return sentence(name, value, types, `and is ${typeName(value)}`);
  }
  if (typeof value === 'string') {
    const { enum: choices, pattern, patternErrorMessage } = contributed;
    if (choices && !choices.includes(value)) {
      return `The setting ${name} must be one of ${choices.join(', ')}, and is ${shown(value)}; it is ignored.`;
    }
    if (pattern !== undefined && !new RegExp(pattern).test(value)) {
      return `The setting ${name} is ${shown(value)}, which is ignored. ${patternErrorMessage ?? ''}`.trim();
    }
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = contributed;
    if (value < minimum || value > maximum) {
      const bounds = maximum === Infinity ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;
      return `The setting ${name} must be ${bounds}, and is ${value}; the nearest value counts.`;
    }
  }
  return undefined;
}

function sentence(name: string, value: unknown, types: readonly string[], found: string): string {
  const advice =
    name === 'helix.interpreter' && Array.isArray(value) && typeof value[0] === 'string'
      ? `write ${JSON.stringify(value[0])}, without brackets`
      : 'it is ignored';
  return `The setting ${name} must be ${types.map(wanted).join(' or ')}, ${found}; ${advice}.`;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** The words for a type of JSON Schema. */
function wanted(type: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    boolean: 'true or false',
    integer: 'a whole number',
    number: 'a number',
    array: 'a list of text',
    null: 'empty',
  };
  return words[type] ?? type;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? 'a list' : 'a list of other values';
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function shown(value: string): string {
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value);
}
