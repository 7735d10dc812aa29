/** How the acts open: a fresh repository, a code-server with Helix in it, the project's own Python. */
import fs from 'node:fs';
import path from 'node:path';

import { python } from '../driver/installation.ts';
import { CodeServer, type ServerOptions } from '../driver/server.ts';
import { type Run, Stage } from '../driver/stage.ts';
import { Repository } from '../fixture/repository.ts';

export interface Opening extends Omit<ServerOptions, 'mark' | 'scratch'> {
  /** Files besides the service's own, so that the first index takes a moment. */
  tables?: number;
}

export const WITH_PYTHON = { 'helix.interpreter': python };

/** A stage on a new repository; the extension is installed from its package. */
export async function openStage(
  run: Run,
  name: string,
  opening: Opening = {},
): Promise<{ stage: Stage; repository: Repository }> {
  const { tables, extensions, ...options } = opening;
  const folder = path.join(run.scratch, name);
  fs.rmSync(folder, { recursive: true, force: true });
  const repository = Repository.make(path.join(folder, 'ledger'), tables);
  const server = await CodeServer.start({
    mark: run.mark,
    scratch: run.scratch,
    extensions: [run.vsix, ...(extensions ?? [])],
    settings: WITH_PYTHON,
    ...options,
  });
  return { stage: new Stage(run, server, repository.folder), repository };
}
