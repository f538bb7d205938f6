import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url))

const world = process.env.BINNACLE_WORLD ?? 'virtual'
// What was recorded from a control plane of its own is compared with the embedded one; a control plane that others use too would differ.
const recorded = process.env.BINNACLE_RECORD === undefined ? ['built'] : []
// What takes many minutes is told by hand.
const long = process.env.BINNACLE_LIVES === undefined ? ['long'] : []
const virtual = ['real', 'built', 'long']
const excluded = { virtual, embedded: ['real', ...long], real: ['long', ...recorded] }[world] ?? virtual

/** Tests run on the sources, not on what was built last. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@binnacle\/core\/public$/, replacement: source('core/src/public.ts') },
      { find: /^@binnacle\/testing\/vitest$/, replacement: source('testing/src/vitest.ts') },
      { find: /^@binnacle\/(core|client|cache|kinds|cluster|testing|cli)$/, replacement: source('$1/src/index.ts') },
      { find: /^binnacle$/, replacement: source('operator/src/index.ts') },
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('scripts/seeded-fast-check.mjs', import.meta.url)) },
    ],
  },
  oxc: { target: 'es2022' },
  test: {
    // What needs a whole control plane, or what its build brings, is in files of its own, so that nothing has to be skipped elsewhere.
    exclude: ['**/node_modules/**', '**/dist/**', ...excluded.map((need) => `**/*.${need}.test.ts`)],
    // Servers and other tests share the machine: a story that waits for a real one is given up late, and costs nothing if it is not.
    testTimeout: world === 'virtual' ? 20_000 : 90_000,
    // All cores: most files wait for processes and sockets now and then, and vitest would leave one core idle.
    maxWorkers: '100%',
    projects: [
      // Tests of single files share the modules that they load, which takes most of their time otherwise; none of them leaves anything behind.
      { extends: true, test: { name: 'units', include: ['packages/*/src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'stories',
          include: [
            'packages/*/test/**/*.test.ts',
            'examples/**/*.test.ts',
            'conformance/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
        },
      },
    ],
  },
})
