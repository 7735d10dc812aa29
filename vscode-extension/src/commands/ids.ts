/** Every command the extension registers; the manifest contributes the same ones. */
export const commandIds = [
  'helix.ask.question',
  'helix.ask.selection',
  'helix.ask.symbol',
  'helix.ask.file',
  'helix.ask.verdict',
  'helix.ask.where',
  'helix.showStatus',
  'helix.refreshIndex',
  'helix.rebuildIndex',
  'helix.pauseIndexing',
  'helix.resumeIndexing',
  'helix.restart',
  'helix.showLogs',
  'helix.runDoctor',
  'helix.debugInformation',
  'helix.chooseInterpreter',
  'helix.setUp',
  'helix.openWalkthrough',
] as const;

export type CommandId = (typeof commandIds)[number];
