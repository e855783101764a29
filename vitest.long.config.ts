import { defineConfig } from 'vitest/config'

/** The long forms of sweeps and soaks, by hand: `npx vitest run --config vitest.long.config.ts <name>`. */
export default defineConfig({
  test: {
    globalSetup: 'packages/server/testing/harness/global-setup.ts',
    teardownTimeout: 60_000, // as in vitest.config.ts
    include: ['packages/*/{src,test}/**/*.long.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 4 * 3600 * 1000,
    hookTimeout: 120_000,
    passWithNoTests: true,
  },
})
