import { expect, it } from 'vitest'
import { cpuSeconds } from '../../../../testing/harness/cpu-seconds.ts'
import { BuildFailed } from '../../../engine/api/errors.ts'
import { buildWords } from './build-words.ts'

const FRONTEND = 'failed to solve with frontend dockerfile.v0: failed to create LLB definition: '
const OLD = (command: string, code: number) => `executor failed running [/bin/sh -c ${command}]: exit code: ${code}`
const NEW = (command: string, code: number) =>
  `failed to solve: process "/bin/sh -c ${command}" did not complete successfully: exit code: ${code}`

const said = (reason: string, lines: readonly string[] = [], more = {}) =>
  buildWords(new BuildFailed('', { reason, lastLines: lines, outOfMemory: false, outOfProcesses: false, ...more }), (all) =>
    all.map((line) => line.replaceAll('hunter2', '***')),
  )

it.each([OLD('npm run build', 2), NEW('npm run build', 2)])('a step that failed is named, with the line that says why: %s', (reason) => {
  const lines = [
    '#6 [3/4] RUN apk add git',
    '#7 [4/4] RUN npm run build',
    '#6 fetching',
    "#7 src/index.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    '#6 error: this is another step, which was cancelled',
    '#7 npm error code 2',
    '#6 ERROR: context canceled',
    `#7 ERROR: ${reason}`,
  ]
  expect(said(reason, lines)).toBe(
    `The build failed at "RUN npm run build" with exit code 2: src/index.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.`,
  )
})

it('if no line gives a reason, the last lines of the step are shown', () => {
  const lines = ['#5 [2/2] RUN ./make', '#5 one', '#5 two', `#5 ERROR: ${OLD('./make', 1)}`]
  expect(said(OLD('./make', 1), lines)).toBe('The build failed at "RUN ./make" with exit code 1. Last output: one | two')
  expect(said(OLD('./make', 1), lines.slice(1))).toBe('The build failed with exit code 1. Last output: one | two')
  expect(said(OLD('./make', 1), lines, { outOfProcesses: true })).toMatch(
    /two It could not start another process: all builds together have a limit/,
  )
})

it.each([
  ['RUN echo "a b" && false', `'RUN echo "a b" && false'`],
  [`RUN sh -c "echo 'a b'; false"`, `\`RUN sh -c "echo 'a b'; false"\``],
])('a step with quotes is in others: %s', (step, quoted) => {
  expect(said('exit code: 1', [`#5 [2/2] ${step}`, '#5 ERROR: exit code: 1'])).toBe(
    `The build failed at ${quoted} with exit code 1. It printed nothing.`,
  )
})

it('values of the environment are redacted', () => {
  const lines = ['#5 [2/2] RUN x', '#5 Error: hunter2 is wrong', '#5 ERROR: exit code: 1']
  expect(said('exit code: 1', lines)).toBe('The build failed at "RUN x" with exit code 1: Error: *** is wrong')
})

it.each([
  ['failed to compute cache key: "/package.json" not found: not found', /^The Dockerfile copies "package\.json", which is not in the/],
  [
    'failed to solve: failed to compute cache key: failed to calculate checksum of ref a::b: "/dist/app": not found',
    /^The Dockerfile copies "dist\/app", which is not in the repository\. .*Settings → Root directory\.$/,
  ],
  [
    'COPY failed: file not found in build context: stat x: file does not exist',
    /^The Dockerfile copies a file .*stat x: file does not exist/,
  ],
  [`${FRONTEND}dockerfile parse error line 3: unknown instruction: RUNN`, /^The Dockerfile cannot be read: dockerfile parse error line 3/],
  [`${FRONTEND}docker.io/library/nodee:20: not found`, /^The base image "nodee:20" was not found/],
  [
    'failed to solve: acme/private:1: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope',
    /^The base image "acme\/private:1" was not found, or it is private\./,
  ],
  ['failed to copy: write /x: no space left on device', /^There is no space left on the disk\./],
  ['the engine ended the build without an image', /^The build failed: the engine ended the build without an image$/],
])('engine errors become readable messages: %s', (reason, expected) => expect(said(reason)).toMatch(expected))

it.each([`${'failed to walk '.repeat(600)}${'"'.repeat(6000)}x: invalid`, `${'target stage '.repeat(20_000)}`, `${'a: '.repeat(50_000)}`])(
  'a long reason takes no longer than its length: %#',
  async (reason) => {
    expect(await cpuSeconds(() => said(reason))).toBeLessThan(0.5)
  },
)

it.each(['no active sessions', 'pull access denied, authorization failed', 'no basic auth credentials'])(
  '%s is a private base image',
  (words) => {
    expect(said(`${FRONTEND}${words}`)).toBe(
      'A base image is private, and the project has no credentials for it. Save credentials for its registry under Registries, then deploy again.',
    )
  },
)
