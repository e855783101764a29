import type { BuildFailed } from '../../../engine/api/errors.ts'
import { failedStep } from '../../../engine/build/failed-step.ts'
import { outputSummary } from '../../../lib/error-lines.ts'

/** Prefixes that the engine adds to its errors. */
const PREFIX = /^(?:failed to solve(?: with frontend [\w.]+)?: |failed to create LLB definition: |rpc error: code = \w+ desc = )+/
const LONGEST_STEP = 120

const IMAGE = '(?:^|[\\s:])(?:docker\\.io/(?:library/)?)?([\\w./-]+(?::[\\w.-]+)?(?:@sha256:\\w+)?): '
const noImage = ([, image = '']: RegExpExecArray) =>
  `The base image "${image}" was not found, or it is private. Check the FROM lines of the Dockerfile.`

/** `when` must also be somewhere in the text. It is a separate pattern, because a combined one would be very slow on a long text. */
type KnownError = { when?: RegExp; pattern: RegExp; words: (match: RegExpExecArray) => string }

/** The engine's errors for a build in which no command failed. */
const KNOWN_ERRORS: readonly KnownError[] = [
  {
    when: /failed to (?:compute cache key|calculate checksum|walk )/,
    pattern: /"\/?([^"]+)":? not found/,
    words: ([, file = '']) =>
      `The Dockerfile copies "${file}", which is not in the repository. Add it, or check .dockerignore and Settings → Root directory.`,
  },
  {
    pattern: /COPY failed: (.+)/,
    words: ([, what = '']) => `The Dockerfile copies a file that is not in the repository (${what}). Add it, or check .dockerignore.`,
  },
  {
    pattern: /dockerfile parse error.*|unknown instruction.*|unknown flag.*|target stage \S+ could not be found/i,
    words: ([what = '']) => `The Dockerfile cannot be read: ${what}`,
  },
  { pattern: new RegExp(`${IMAGE}(?:not found|pull access denied)`), words: noImage },
  { when: /manifest unknown|insufficient_scope/, pattern: new RegExp(IMAGE), words: noImage },
  {
    pattern: /no active sessions|authorization failed|no basic auth credentials/,
    words: () =>
      'A base image is private, and the project has no credentials for it. Save credentials for its registry under Registries, then deploy again.',
  },
  { pattern: /no space left on device/i, words: () => 'There is no space left on the disk. Free some, then deploy again.' },
]

/** Why a build failed, from the output of the failed step. `readable` redacts the environment in consecutive lines. */
export function buildWords(cause: BuildFailed, readable: (lines: readonly string[]) => readonly string[]): string {
  if (cause.outOfMemory) return 'The build ran out of memory and was killed. Make the build smaller, or give the server more memory.'
  const reason = cause.reason.replace(PREFIX, '')
  const exitCode = /exit code: (\d+)/.exec(reason)?.[1]
  const step = failedStep(cause.lastLines)
  if (exitCode === undefined || step === undefined) return engineWords(reason)
  const name = step.name.length > LONGEST_STEP ? `${step.name.slice(0, LONGEST_STEP)}…` : step.name
  const where = name === '' ? 'The build failed' : `The build failed at ${quoted(name)}`
  const hint = cause.outOfProcesses ? ' It could not start another process: all builds together have a limit.' : ''
  return `${where} with exit code ${exitCode}${outputSummary(readable(step.lines))}${hint}`
}

/** In quotes that are not in the text itself. */
function quoted(text: string): string {
  const mark = ['"', "'"].find((each) => !text.includes(each)) ?? '`'
  return `${mark}${text}${mark}`
}

function engineWords(reason: string): string {
  for (const { when, pattern, words } of KNOWN_ERRORS) {
    const match = when?.test(reason) === false ? null : pattern.exec(reason)
    if (match) return words(match)
  }
  return `The build failed: ${reason}`
}
