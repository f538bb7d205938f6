import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url))

/** Tests run on the sources, not on what was built last. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@binnacle\/core\/public$/, replacement: source('core/src/public.ts') },
      { find: /^@binnacle\/(core|client|cache|kinds|cluster|testing|cli)$/, replacement: source('$1/src/index.ts') },
      { find: /^binnacle$/, replacement: source('operator/src/index.ts') },
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('scripts/seeded-fast-check.mjs', import.meta.url)) },
    ],
  },
  oxc: { target: 'es2022' },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'conformance/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 20_000,
    // All cores: most files wait for processes and sockets now and then, and vitest would leave one core idle.
    maxWorkers: '100%',
  },
})
