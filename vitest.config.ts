import { defineConfig } from 'vitest/config'

/** They need a real engine, and each has instances, networks and ports of its own. */
const WITH_ENGINE = ['packages/*/{src,test}/**/*.{engine,fault}.test.ts', 'e2e/*.e2e.test.ts']
/** What is shared between them after all: the limit of all builds, the firewall of the engine, and the time that others take. */
const ALONE = [
  'packages/server/src/engine/build/{build,session}.engine.test.ts',
  'packages/cli/src/images.engine.test.ts', // its registry is on an address that the firewall of other suites blocks
  'packages/server/test/hostile/claimed-images.engine.test.ts', // the same
  'packages/server/{src/engine/downloads/downloads,test/hostile/slow-pulls}.engine.test.ts', // the same
  'e2e/databases.e2e.test.ts', // the same
  'packages/server/src/provision/engine-firewall.engine.test.ts',
  'packages/server/test/edge/{load,tls}.engine.test.ts',
  'packages/server/test/edge/switching.test.ts', // counts every request that is lost
  'packages/server/test/crash/{many-deployments,kill-bursts,storage}.fault.test.ts',
]
/** More than the two cores of a small machine: they wait most of the time. */
const AT_ONCE = 3
const NEVER = ['**/node_modules/**', '**/dist/**', '**/fixtures/**']

/** Small ones that leave nothing behind in their process, which the next one can use: loading the code takes longer than most of them. */
const SMALL = ['packages/{contract,server}/src/**/*.test.ts']
/** Of those, the ones that change the variables of the process. */
const NOT_SMALL = ['packages/server/src/maintenance/**/*.test.ts']

const ONLY_ON_POSTGRES = [
  'packages/server/src/store/{postgres,transfer}/*.test.ts',
  'packages/server/test/postgres/*.test.ts',
  // what several nodes share, which is on PostgreSQL alone
  'packages/server/src/features/deployments/{log/shared-logs,shared-files,release/compose/shared-plans}.test.ts',
  'packages/server/src/edge/certificates/{orders-of-nodes,shared-challenges}.test.ts',
  'packages/server/src/{routing/shared-routes,nodes/lost-edges,features/auth/shared-slow-down}.test.ts',
]
/** A cross-section of what uses the database, on PostgreSQL as well. BERTH_TEST_DATABASE=postgres runs every suite on it instead. */
const ON_POSTGRES = [
  'packages/server/src/store/{statement,grouped-writes}.test.ts',
  'packages/server/src/queue/*.test.ts',
  'packages/server/src/edge/certificates/{attempts,kept-certificates,order-budget}.test.ts',
  'packages/server/src/features/{audit,registries,polls}/*.test.ts',
  'packages/server/test/sessions/people.test.ts',
  'packages/server/test/api/{management,screens,live-events,environment-limits}.test.ts',
  ...ONLY_ON_POSTGRES,
]
const postgres = { globalSetup: 'packages/server/testing/harness/postgres-setup.ts' }
const database = process.env['BERTH_TEST_DATABASE'] === 'postgres' ? postgres : {}

const limits = { environment: 'node', pool: 'forks', ...database, testTimeout: 60_000, hookTimeout: 120_000 } as const
/** A busy machine makes them slow, not wrong. */
const onRealParts = { testTimeout: 180_000, hookTimeout: 240_000 } as const

export default defineConfig({
  test: {
    globalSetup: 'packages/server/testing/harness/global-setup.ts',
    teardownTimeout: 60_000, // the engine of the tests stops its containers first
    tags: [
      { name: 'long', description: 'Left out of `npm test`, which keeps a shorter test of the same: npx vitest run --tags-filter=long' },
    ],
    projects: [
      {
        test: {
          ...limits,
          name: 'small',
          include: SMALL,
          exclude: [...NEVER, ...NOT_SMALL, ...WITH_ENGINE, ...ALONE, ...ONLY_ON_POSTGRES],
          isolate: false,
          maxWorkers: AT_ONCE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...limits,
          name: 'side by side',
          include: [
            'packages/{cli,dashboard}/src/**/*.test.{ts,tsx}',
            'packages/*/test/**/*.test.{ts,tsx}',
            ...NOT_SMALL,
            'scripts/guards/*.test.ts',
          ],
          exclude: [...NEVER, ...WITH_ENGINE, ...ALONE, ...ONLY_ON_POSTGRES],
          maxWorkers: AT_ONCE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...limits,
          ...postgres,
          name: 'on PostgreSQL',
          include: ON_POSTGRES,
          exclude: NEVER,
          maxWorkers: AT_ONCE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...limits,
          ...onRealParts,
          name: 'with an engine',
          include: WITH_ENGINE,
          exclude: [...NEVER, ...ALONE],
          maxWorkers: AT_ONCE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...limits,
          ...onRealParts,
          name: 'alone',
          include: ALONE,
          exclude: NEVER,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
