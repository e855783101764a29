// `npm run check`: every step of steps.mjs, or those that are named.
import { ensureInstalled } from './lib/install.mjs'
import { runSteps, steps } from './steps.mjs'

const names = process.argv.slice(2)
// `typecheck` names `typecheck-dashboard` too.
const chosen =
  names.length === 0 ? steps : steps.filter((step) => names.some((name) => step.name === name || step.name.startsWith(`${name}-`)))

if (chosen.length === 0) {
  console.error(`Unknown step. The steps are: ${steps.map((step) => step.name).join(', ')}`)
  process.exitCode = 2
} else {
  const failed = (await ensureInstalled()) ? await runSteps(chosen) : ['install']
  if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
  process.exitCode = failed.length === 0 ? 0 : 1
}
