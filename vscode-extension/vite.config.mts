/** Builds the dashboard's page into the Python package, which carries it: `npm run dashboard`. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'src/dashboard/page',
  base: '/dashboard/',
  // The same bytes on every machine: no hash in a name, nothing of the environment in a file.
  build: {
    outDir: '../../../../helix_ls/proxy/dashboard/built',
    emptyOutDir: true,
    modulePreload: false,
    target: 'es2022',
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      output: { entryFileNames: 'dashboard.js', assetFileNames: 'dashboard[extname]', codeSplitting: false },
    },
  },
});
