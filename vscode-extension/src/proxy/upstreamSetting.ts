/** Writes a setting into the text of a user's `config.toml`, and leaves every other byte. Pure. */

const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/;

/** `url` replaces the one that is there, or is added to the section, or with it. */
export function withUpstream(text: string, url: string): string {
  return withSetting(text, 'proxy', 'upstream', url);
}

/** The answer to whether chats are kept on this machine. */
export function withKeptChats(text: string, keeps: boolean): string {
  return withSetting(text, 'memory', 'learn', keeps);
}

function withSetting(text: string, section: string, name: string, value: string | boolean): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const written = `${name} = ${JSON.stringify(value)}`;
  const assignment = new RegExp(`^\\s*${name}\\s*=`);
  if (new RegExp(`^\\s*${section}\\s*[.=]`, 'm').test(text)) {
    throw new Error(
      `Your config.toml writes ${section} without a [${section}] of its own; add ${written} there yourself.`,
    );
  }
  const begins = lines.findIndex((line) => header.exec(line)?.[1]?.trim() === section);
  if (begins < 0) {
    const before = text === '' || text.endsWith('\n') ? text : `${text}${newline}`;
    return `${before}${before === '' ? '' : newline}[${section}]${newline}${written}${newline}`;
  }
  const length = lines.slice(begins + 1).findIndex((line) => /^\s*\[/.test(line));
  const ends = length < 0 ? lines.length : begins + 1 + length;
  const at = lines.findIndex((line, index) => index > begins && index < ends && assignment.test(line));
  if (at < 0) {
    lines.splice(begins + 1, 0, written);
  } else {
    lines[at] = written;
  }
  return lines.join(newline);
}

/** Why this is not an address of a model server; undefined where it is one. */
export function refusedAddress(given: string): string | undefined {
  if (!URL.canParse(given)) {
    return 'Write the whole address, such as http://127.0.0.1:11434';
  }
  const { protocol, username, password, search } = new URL(given);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return 'The address begins with http:// or https://';
  }
  if (username || password || search) {
    return 'Leave keys out of the address; set HELIX_UPSTREAM_KEY in the environment instead';
  }
  return undefined;
}
