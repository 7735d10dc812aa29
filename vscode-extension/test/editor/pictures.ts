/** Copies the pictures of the last run that the documentation shows to docs/pictures: `make pictures`. */
import fs from 'node:fs';
import path from 'node:path';

import { artifacts, project } from './driver/installation.ts';

/** The picture of the documentation, and the one of the run that it is. */
const SHOWN: Record<string, string> = {
  packet: 'packet-light',
  unsaved: 'mark-unsaved',
  diff: 'diff',
  explained: 'packet-why-here',
  hover: 'hover',
  hints: 'hints-underline',
  'where-is': 'where-is',
  'first-minute': 'first-minute',
  chat: 'chat',
  dashboard: 'dashboard-light',
  'dashboard-dark': 'dashboard-dark',
  'dashboard-editor': 'dashboard-editor',
  'chat-evidence': 'chat-evidence-view',
  memory: 'memory-why',
};

const folder = path.join(project, 'docs', 'pictures');
const taken = (name: string): string => path.join(artifacts, `${name}.png`);

const missing = Object.values(SHOWN).filter((name) => !fs.existsSync(taken(name)));
if (missing.length > 0) {
  console.error(
    `the last run took no picture ${missing.join(', ')}: run \`make test-editor\` whole, then \`make pictures\``,
  );
  process.exit(1);
}
fs.mkdirSync(folder, { recursive: true });
for (const file of fs.readdirSync(folder)) if (file.endsWith('.png')) fs.rmSync(path.join(folder, file));
for (const [shown, name] of Object.entries(SHOWN)) fs.copyFileSync(taken(name), path.join(folder, `${shown}.png`));
console.log(`${Object.keys(SHOWN).length} pictures in ${path.relative(process.cwd(), folder)}`);
