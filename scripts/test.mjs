// `npm test`: on a bare machine with Node.js 20, installs, builds, checks, and runs every suite. The last line is the sum.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { OUTSIDE_FILE } from './announce-outside.mjs'
import { failuresOutside } from './lib/failures-outside.mjs'
import { ensureInstalled } from './lib/install.mjs'
import { bin, cacheDir, pinnedNode, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'
import { runSteps, steps } from './steps.mjs'

const report = path.join(cacheDir, 'test-report.json')
const outsideFile = path.join(cacheDir, 'test-outside.json')
/** Suites with real servers run several at a time on a machine that may be slow: these get a second run, by themselves, and it is announced. */
const ON_REAL_PARTS = /\.(engine|fault|e2e)\.test\.ts$|^packages\/(server\/test|cli\/src)\//
const MOST_RERUNS = 6

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

const OURS = ['skipped', 'outside'].map((name) => `--reporter=./scripts/announce-${name}.mjs`)

/** What is tagged as long is run by hand, like the sweeps of `vitest.long.config.ts`. */
const SHORT = '--tags-filter=!long'

/** Runs Vitest; answers its exit code, what became of each file, and the errors outside of every test. */
async function runTests(args) {
  for (const file of [report, outsideFile]) rmSync(file, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', ...OURS, `--outputFile.json=${report}`]
  const exitCode = await run(pinnedNode, [bin('vitest'), 'run', SHORT, ...reporters, ...args], { env: { [OUTSIDE_FILE]: outsideFile } })
  const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined)
  return { exitCode, files: merged(read(report)?.testResults.map(summarise) ?? []), outside: read(outsideFile) ?? [] }
}

/** A file that runs on both databases is there twice, and has failed if one of them has. */
function merged(files) {
  const byName = new Map()
  for (const { name, passed, failures } of files) {
    const known = byName.get(name) ?? { name, passed: 0, failures: [] }
    byName.set(name, { name, passed: known.passed + passed, failures: [...known.failures, ...failures] })
  }
  return [...byName.values()]
}

function summarise({ name, status, assertionResults }) {
  const having = (wanted) => assertionResults.filter((test) => test.status === wanted)
  const failures = having('failed').map(({ fullName }) => fullName)
  // A file that could not even be loaded has no failed test of its own.
  if (status === 'failed' && failures.length === 0) failures.push('the file as a whole')
  return { name: path.relative(root, name), passed: having('passed').length, failures }
}

/** The second run, if there is one. */
async function rerunAlone({ files }) {
  const failed = files.filter(({ name, failures }) => failures.length > 0 && ON_REAL_PARTS.test(name))
  if (failed.length === 0 || failed.length > MOST_RERUNS) return undefined
  for (const { name, failures } of failed) console.log(`RUN AGAIN: ${name} failed the first time: ${failures.join('; ')}`)
  return await runTests(['--no-file-parallelism', '--maxWorkers=1', ...failed.map(({ name }) => name)])
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
  const again = await rerunAlone(first)
  const runs = again === undefined ? [first] : [first, again]
  const files = first.files.map((file) => again?.files.find(({ name }) => name === file.name) ?? file)
  for (const { name, failures } of files) for (const failure of failures) console.log(`FAILED: ${name}: ${failure}`)
  if (failedSteps.length > 0) console.log(`FAILED: ${failedSteps.join(', ')}`)
  const passed = files.reduce((sum, file) => sum + file.passed, 0)
  const failures = files.reduce((sum, file) => sum + file.failures.length, 0)
  for (const error of runs.flatMap(({ outside }) => outside)) console.log(`FAILED: outside of every test: ${error}`)
  finish(passed + steps.length - failedSteps.length, failures + failuresOutside(runs) + failedSteps.length)
}

await main()
