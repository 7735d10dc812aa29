/** The suite that runs inside the extension host, against the extension's own folder. */
import assert from 'node:assert/strict';
import path from 'node:path';

import { build, stop } from 'esbuild';

import { type Act, scenario } from '../driver/acts.ts';
import { artifacts, extension, suite } from '../driver/installation.ts';
import type { Stage } from '../driver/stage.ts';
import { within } from '../driver/until.ts';
import { Upstream } from '../driver/upstream.ts';
import { openStage, WITH_PYTHON } from './opening.ts';

interface Line {
  helixTest?: string;
  helixMeasure?: string;
  ms: number;
  error?: string;
}

async function playSuite(stage: Stage): Promise<void> {
  const bundle = path.join(artifacts, 'host', 'suite.cjs');
  const entryPoints = [path.join(suite, 'host', 'suite.ts')];
  await build({
    entryPoints,
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'error',
  });
  await stop();
  const remote = (file: string): string => `vscode-remote://127.0.0.1:${stage.server.port}${file}`;
  let finish: (code: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => (finish = resolve));
  let passed = 0;
  await stage.anotherWindow(stage.target, {
    payload: [
      ['extensionDevelopmentPath', remote(extension)],
      ['extensionTestsPath', remote(bundle)],
    ],
    functions: {
      codeAutomationExit: (code) => {
        finish(Number(code));
      },
      codeAutomationLog: (_severity, values) => {
        for (const line of lines(values)) {
          if (line.helixMeasure !== undefined) stage.measure(line.helixMeasure, line.ms);
          if (line.helixTest === undefined) continue;
          if (line.error === undefined) passed += 1;
          stage.note(line.helixTest, line.ms, line.error);
        }
      },
    },
  });
  assert.equal(await within('the suite', 240_000, finished), 0, 'the extension host reports a failure');
  assert.ok(passed > 10, `only ${passed} tests reported`);
}

function lines(values: unknown): Line[] {
  const texts = Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [];
  return texts.filter((text) => /^\{"helix(Test|Measure)"/.test(text)).map((text) => JSON.parse(text) as Line);
}

export const host: Act = {
  name: 'inside the extension host',
  open: async (run) => {
    const upstream = await Upstream.start();
    const { stage } = await openStage(run, 'host', {
      runsSuites: true,
      environment: { HELIX_UPSTREAM: upstream.url },
      settings: { ...WITH_PYTHON, 'chat.disableAIFeatures': false },
    });
    stage.atEnd(() => {
      upstream.stop();
    });
    return stage;
  },
  scenarios: [scenario('the suite ends well', playSuite, 280_000)],
};
