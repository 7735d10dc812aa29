// Bundles the extension into dist/extension.js and the packet view's page, where there is one, into dist/view.js; the page
// of the dashboard is in the Python package as it was built, and is shown as it is.
import { cpSync, existsSync } from 'node:fs';
import { context } from 'esbuild';

const production = process.argv.includes('--production');
const shared = { bundle: true, minify: production, sourcemap: production ? false : 'inline', logLevel: 'warning' };
const builds = [
  {
    ...shared,
    entryPoints: { extension: 'src/extension.ts' },
    outdir: 'dist',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
  },
];
if (existsSync('src/view/page/main.ts')) {
  builds.push({
    ...shared,
    entryPoints: { view: 'src/view/page/main.ts' },
    outdir: 'dist',
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
  });
}

for (const options of builds) {
  const build = await context(options);
  if (process.argv.includes('--watch')) {
    await build.watch();
  } else {
    await build.rebuild();
    await build.dispose();
  }
}

for (const name of ['dashboard.js', 'dashboard.css']) {
  cpSync(`../helix_ls/proxy/dashboard/built/${name}`, `dist/${name}`);
}
