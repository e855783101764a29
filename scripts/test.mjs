// `npm test`: on a bare machine with Node.js 20, installs, builds, checks, and runs every suite. The last line is the sum.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ensureInstalled } from './lib/install.mjs'
import { bin, cacheDir, pinnedNode, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'
import { runSteps, steps } from './steps.mjs'

const report = path.join(cacheDir, 'test-report.json')
/** Suites with real servers run several at a time on a machine that may be slow: these get a second run, by themselves, and it is announced. */
const ON_REAL_PARTS = /\.(engine|fault|e2e)\.test\.ts$|^packages\/(server\/test|cli\/src)\//
const MOST_RERUNS = 4

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

/** Runs Vitest; answers its exit code and what became of each file. */
async function runTests(args) {
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', '--reporter=./scripts/announce-skipped.mjs', `--outputFile.json=${report}`]
  const exitCode = await run(pinnedNode, [bin('vitest'), 'run', ...reporters, ...args])
  if (!existsSync(report)) return { exitCode, files: [] }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return { exitCode, files: testResults.map(summarise) }
}

function summarise({ name, status, assertionResults }) {
  const having = (wanted) => assertionResults.filter((test) => test.status === wanted)
  const failures = having('failed').map(({ fullName }) => fullName)
  // A file that could not even be loaded has no failed test of its own.
  if (status === 'failed' && failures.length === 0) failures.push('the file as a whole')
  return { name: path.relative(root, name), passed: having('passed').length, failures }
}

async function rerunAlone(files) {
  const failed = files.filter(({ name, failures }) => failures.length > 0 && ON_REAL_PARTS.test(name))
  if (failed.length === 0 || failed.length > MOST_RERUNS) return files
  for (const { name, failures } of failed) console.log(`RUN AGAIN: ${name} failed the first time: ${failures.join('; ')}`)
  const again = await runTests(['--no-file-parallelism', '--maxWorkers=1', ...failed.map(({ name }) => name)])
  return files.map((file) => again.files.find(({ name }) => name === file.name) ?? file)
}

async function main() {
  if (!(await ensureInstalled())) return finish(0, 1)
  if ((await run(pinnedNode, [path.join(root, 'scripts/build.mjs')])) !== 0) {
    console.log('FAILED: the build')
    return finish(0, 1)
  }
  const failedSteps = await runSteps()
  mkdirSync(cacheDir, { recursive: true })
  const first = await runTests(process.argv.slice(2))
  const files = await rerunAlone(first.files)
  for (const { name, failures } of files) for (const failure of failures) console.log(`FAILED: ${name}: ${failure}`)
  if (failedSteps.length > 0) console.log(`FAILED: ${failedSteps.join(', ')}`)
  const passed = files.reduce((sum, file) => sum + file.passed, 0)
  const failures = files.reduce((sum, file) => sum + file.failures.length, 0)
  // An error outside every test fails the run and none of the tests.
  const outside = first.files.length === 0 || (first.exitCode !== 0 && first.files.every((file) => file.failures.length === 0)) ? 1 : 0
  finish(passed + steps.length - failedSteps.length, failures + outside + failedSteps.length)
}

await main()
