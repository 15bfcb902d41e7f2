import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    // Ends what hangs. Nothing is measured by it, and a busy machine may need many times what a quiet one does.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two cores are what CI has; more workers only make the real processes of the e2e tests wait.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/generated/**', 'src/**/*.d.ts', 'src/cli/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: {
        'src/core/**': { statements: 95, branches: 90 },
        'src/resources/*/decide.ts': { statements: 100, branches: 100 },
        statements: 90,
      },
    },
  },
})

export default config
