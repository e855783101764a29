// LIST of the checks for a change. `npm run check` runs all; `node scripts/check.mjs lint` runs one.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { checkText, textFiles } from './guards/text-guards.mjs'
import { bin, pinnedNode, root } from './lib/paths.mjs'
import { capture } from './lib/processes.mjs'

const isThere = (name) => existsSync(path.join(root, name))
const dashboardProject = 'packages/dashboard/tsconfig.json'

async function boundaries() {
  const folders = ['packages', 'scripts', 'bench', 'e2e'].filter(isThere)
  const { code, output } = await capture(bin('depcruise'), ['--config', '.dependency-cruiser.cjs', ...folders])
  // The tool also succeeds if it finds no modules at all, which must not count as success.
  const modules = Number(/\((\d+) modules/.exec(output)?.[1] ?? 0)
  if (code === 0 && modules === 0) return { code: 1, output: `${output}\ndependency-cruiser saw no modules` }
  return { code, output }
}

async function guards() {
  // Not before this step: on a fresh checkout its packages are installed after this file is loaded.
  const { slowPatterns } = await import('./guards/slow-patterns.mjs')
  const files = textFiles(root)
  const violations = [...checkText(root, files), ...slowPatterns(root, files)]
  return { code: violations.length === 0 ? 0 : 1, output: violations.map((v) => `${v.file}:${v.line} ${v.guard}: ${v.instead}`).join('\n') }
}

/** Each step answers `{ code, output }`; the output is shown when the code is not 0. */
export const steps = [
  { name: 'format', run: () => capture(bin('biome'), ['check', '.']) },
  { name: 'lint', run: () => capture(bin('oxlint'), ['--type-aware', '--deny-warnings']) },
  { name: 'typecheck', run: () => capture(bin('tsc'), ['-p', 'tsconfig.json']) },
  // Against the API of Node.js 20, because the CLI runs on its user's Node.js.
  { name: 'typecheck-cli', run: () => capture(bin('tsc'), ['-p', 'packages/cli/tsconfig.json']) },
  { name: 'typecheck-scripts', run: () => capture(bin('tsc'), ['-p', 'scripts/tsconfig.json']) },
  ...(isThere(dashboardProject)
    ? [{ name: 'typecheck-dashboard', run: () => capture(bin('tsc'), ['-p', dashboardProject, '--noEmit']) }]
    : []),
  { name: 'boundaries', run: boundaries },
  { name: 'dead', run: () => capture(bin('knip'), ['--no-progress']) },
  { name: 'openapi', run: () => capture(pinnedNode, ['scripts/lint-openapi.mjs']) },
  { name: 'guards', run: guards },
]

/** Most steps use one core. */
const AT_ONCE = 2

/** Runs the steps and prints each with its time; answers the names of those that failed. */
export async function runSteps(chosen = steps) {
  const failed = []
  const waiting = [...chosen]
  const runInTurn = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await runStep(step))) failed.push(step.name)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runInTurn))
  return failed
}

async function runStep({ name, run }) {
  const begin = performance.now()
  const { code, output } = await run()
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`)
  if (code !== 0) console.log(output.trimEnd())
  return code === 0
}
