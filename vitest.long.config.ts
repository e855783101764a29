import { defineConfig } from 'vitest/config'
import shortForms from './vitest.config.ts'

/** The long forms of the sweeps: the same invariants with more rounds, run by hand. */
export default defineConfig({
  test: { ...shortForms.test, include: ['packages/*/{src,test}/**/*.long.ts'], passWithNoTests: true, testTimeout: 3_600_000 },
})
