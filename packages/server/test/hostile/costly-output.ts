import { randomBytes } from 'node:crypto'
import { EngineError } from '../../src/engine/api/errors.ts'
import { readArray } from '../../src/engine/api/json-array.ts'
import { createLogReader } from '../../src/engine/api/log-frames.ts'
import { tracePartsOf } from '../../src/engine/build/buildkit-messages.ts'
import { accountIn } from '../../src/engine/image-account.ts'
import { registryFailure } from '../../src/engine/registry-failure.ts'
import { failureReason } from '../../src/features/deployments/run/failure-reason.ts'
import { DeploymentFailure } from '../../src/features/deployments/run/stage.ts'
import { resolveReferences } from '../../src/features/env-variables/references.ts'
import { cleanLine } from '../../src/lib/clean-line.ts'
import { errorLines } from '../../src/lib/error-lines.ts'
import { createRedactor } from '../../src/lib/redact.ts'
import { type CostlyText, KIB, repeated } from './costly-text.ts'

const LINE = 64 * KIB
const cleaned = (line: string) => Array.from({ length: 20 }, () => cleanLine(line))
const told = (line: string) => errorLines(Array.from({ length: 300 }, () => line))

/** Lines of a log whose app has a long environment of such values. */
const redacted = (value: (n: number) => string) => (line: string) => {
  const { lines } = createRedactor(Array.from({ length: 1000 }, (_, n) => value(n)))
  return lines(Array.from({ length: 10 }, () => line))
}
const random = () => randomBytes(60).toString('hex')

const LOGS: readonly CostlyText[] = [
  { name: 'a line of escape characters', text: () => repeated('\u001b', LINE), read: cleaned },
  { name: 'a line of beginnings of control sequences', text: () => repeated('\u001b[', LINE), read: cleaned },
  { name: 'a line of control characters in one sequence', text: () => `\u001b${repeated('\u0001', LINE)}`, read: cleaned },
  { name: 'a line of colours', text: () => repeated('\u001b[31m', LINE), read: cleaned },
  { name: 'a line of window titles', text: () => repeated('\u001b]0;', LINE), read: cleaned },
  { name: 'a line that overwrites itself', text: () => repeated('a\b\r', LINE), read: redacted(random) },
  { name: 'a line that moves far to the right', text: () => repeated('\u001b[9999999Ca', LINE), read: redacted(random) },
  { name: 'a line of percent signs', text: () => repeated('%41%', LINE), read: redacted(random) },
  {
    name: 'a line of what all secrets begin with',
    text: () => repeated('aaaaaaaaab', LINE),
    read: redacted((n) => `${'a'.repeat(100)}${n}`),
  },
  { name: 'a line of secrets within secrets', text: () => repeated('a', LINE), read: redacted((n) => 'a'.repeat(8 + (n % 120))) },
  {
    name: 'a line with a secret before many control characters',
    text: () => `0123456789abcdef${repeated('a\u0001', LINE)}`,
    read: redacted(() => '0123456789abcdef'),
  },
  { name: 'a line of names of images', text: () => repeated('berth/0123456789abcdef0123456789abcde', LINE), read: redacted(random) },
  { name: 'lines that could all say why', text: () => repeated('missing required no set ', 16 * KIB), read: told },
  { name: 'lines of brackets', text: () => repeated('{"level":{', 16 * KIB), read: told },
  {
    name: 'empty frames of a log',
    text: () => repeated('\u0001\0\0\0\0\0\0\0', 1024 * KIB),
    read: (text) => createLogReader({ isTty: false }).push(Buffer.from(text, 'latin1')),
  },
  {
    name: 'empty lines of a log',
    text: () => repeated('\n', 1024 * KIB),
    read: (text) => createLogReader({ isTty: true }).push(Buffer.from(text)),
  },
]

export const COSTLY_OUTPUT: readonly CostlyText[] = [
  ...LOGS,
  {
    name: 'an error text of a registry',
    text: () => repeated('manifes t unknow n ', 8 * KIB * KIB),
    read: (text) => registryFailure(new EngineError(500, text), { host: 'h', hasCredentials: false }),
  },
  {
    name: 'accounts of an image',
    text: () => repeated('\n', 1024 * KIB),
    read: async (text) => await accountIn('app:staff', { accounts: async () => text, groups: async () => text }),
  },
  {
    name: 'references of a variable',
    text: () => repeated('${{', 64 * KIB),
    read: (text) => resolveReferences(new Map(Array.from({ length: 2 }, (_, n) => [`A${n}`, text])), new Map()),
  },
  {
    name: 'references to a variable',
    text: () => repeated('${{project.A}}', 64 * KIB),
    read: (text) => resolveReferences(new Map([['B', text]]), new Map([['project', { variables: new Map([['A', 'x'.repeat(60_000)]]) }]])),
  },
  {
    name: 'a failure that says very much',
    text: () => repeated('\n', 4 * KIB * KIB),
    read: (text) => failureReason(new DeploymentFailure(text), createRedactor(Array.from({ length: 1000 }, random))),
  },
  {
    name: 'labels in a list of containers',
    text: () =>
      `[${Array.from({ length: 40 }, () => `{"Labels":{${Array.from({ length: 3000 }, (_, n) => `"l${n}":"${'x'.repeat(20)}"`).join()}}}`).join()}]`,
    read: async (text) =>
      await readArray(
        (async function* () {
          yield Buffer.from(text)
        })(),
        () => 1,
      ),
  },
  {
    name: 'output of a build in single characters',
    text: () => repeated('\x1a\x05\x0a\x00\x22\x01a', 1024 * KIB),
    read: (text) => tracePartsOf(Buffer.from(text, 'latin1')),
  },
]
