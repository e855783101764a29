import { defineConfig } from 'vitest/config'

/** They share the machine's one engine, its ports and its build limits, so they take turns. */
const TAKING_TURNS = ['packages/*/{src,test}/**/*.{engine,fault}.test.ts', 'packages/server/test/edge*.test.ts', 'e2e/*.e2e.test.ts']

const limits = { environment: 'node', pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

export default defineConfig({
  test: {
    globalSetup: 'packages/server/src/testing/global-setup.ts',
    projects: [
      {
        test: {
          ...limits,
          name: 'side by side',
          include: ['packages/*/{src,test}/**/*.test.{ts,tsx}', 'scripts/guards/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**', ...TAKING_TURNS],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...limits,
          name: 'in turn',
          include: TAKING_TURNS,
          exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
