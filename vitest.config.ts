import process from 'node:process'
import { defineConfig } from 'vitest/config'

/** What boots a Debian and works in there, or has package managers work in a directory: for root alone, and minutes. */
const HOST = [
  'test/hosts/**/*.test.ts',
  'test/compatibility/services.test.ts',
  'test/resources/package/{apt,contract,dnf}.test.ts',
]

/** What runs the built command, the packed package, a browser, or the gate on a copy of the project. */
const E2E = [
  'test/e2e/**/*.test.ts',
  'test/package/plugin.test.ts',
  'test/browser/**/*.test.ts',
  'test/scripts/new.test.ts',
]

/** What runs the examples of the documents. */
const DOCS = ['test/docs/**/*.test.ts']

/** What installs the programs that read reports, and runs them. */
const CONSUMERS = ['test/consumers/**/*.test.ts']

/** A file for the results in JSON, beside the usual output. */
const RESULTS = process.env['TEST_RESULTS']

export default defineConfig({
  test: {
    setupFiles: ['test/support/seed.ts'],
    // Ends what hangs. Nothing is measured by it, and a busy machine may need many times what a quiet one does.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two cores are what CI has; more workers only make the real processes of the e2e tests wait.
    maxWorkers: 2,
    reporters: RESULTS === undefined ? ['default'] : ['default', ['json', { outputFile: RESULTS }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...HOST, ...E2E, ...DOCS, ...CONSUMERS],
          // Most of the time of a small test file is loading what it tests, so files share what a worker has loaded.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'e2e', include: E2E } },
      { extends: true, test: { name: 'docs', include: DOCS } },
      { extends: true, test: { name: 'host', include: HOST } },
      { extends: true, test: { name: 'consumers', include: CONSUMERS, testTimeout: 900_000 } },
    ],
    coverage: {
      enabled: process.env['COVERAGE'] !== undefined,
      provider: 'v8',
      include: ['src/**/*.ts'],
      // What e2e tests run in processes of the built command is counted by scripts/coverage-of-cli.mjs.
      exclude: ['src/**/generated/**', 'src/**/*.d.ts', 'src/cli/**', 'src/agent/**', 'src/remote/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: {
        'src/core/**': { statements: 95, branches: 90 },
        'src/resources/*/decide.ts': { statements: 100, branches: 100 },
        statements: 90,
      },
    },
  },
})
