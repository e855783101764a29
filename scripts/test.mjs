// `npm test`: on a bare machine with Node.js 20, installs, builds, checks, and runs every suite. The last line is the sum.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ensureInstalled } from './lib/install.mjs'
import { bin, cacheDir, pinnedNode, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'
import { runSteps, steps } from './steps.mjs'

const report = path.join(cacheDir, 'test-report.json')

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

function countTests(exitCode) {
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const results = JSON.parse(readFileSync(report, 'utf8'))
  // A file that could not even be loaded has no failed test of its own.
  const broken = results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  )
  for (const file of broken) console.log(`FAILED: ${path.relative(root, file.name)} as a whole`)
  const failed = results.numFailedTests + broken.length
  // An error outside every test fails the run and none of the tests.
  return { passed: results.numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed }
}

async function main() {
  if (!(await ensureInstalled())) return finish(0, 1)
  if ((await run(pinnedNode, [path.join(root, 'scripts/build.mjs')])) !== 0) {
    console.log('FAILED: the build')
    return finish(0, 1)
  }
  const failedSteps = await runSteps()
  mkdirSync(cacheDir, { recursive: true })
  rmSync(report, { force: true })
  const args = [
    'run',
    '--reporter=default',
    '--reporter=json',
    '--reporter=./scripts/announce-skipped.mjs',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ]
  const { passed, failed } = countTests(await run(pinnedNode, [bin('vitest'), ...args]))
  if (failedSteps.length > 0) console.log(`FAILED: ${failedSteps.join(', ')}`)
  finish(passed + steps.length - failedSteps.length, failed + failedSteps.length)
}

await main()
