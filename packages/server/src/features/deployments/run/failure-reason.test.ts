import { expect, it } from 'vitest'
import { EdgeUnavailable } from '../../../edge/edge.ts'
import { BuilderSilent, BuildFailed, EngineError, EngineUnreachable, SpecRefused } from '../../../engine/api/errors.ts'
import { RepositoryNeedsCredentials } from '../../../git/errors.ts'
import { createRedactor } from '../../../lib/redact.ts'
import { DatabaseLost } from '../../../store/database-lost.ts'
import { DiskFull } from '../../../store/storage-failure.ts'
import { failureFacts, failureReason, isExpectedFailure, StageTimedOut } from './failure-reason.ts'
import { DeploymentFailure } from './stage.ts'

const plain = createRedactor([])
const NOTHING = { lastLines: [], outOfMemory: false, outOfProcesses: false }
const build = (reason: string, more = {}) => new BuildFailed(`The build failed: ${reason}`, { reason, ...NOTHING, ...more })

const RUNC = 'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: '
const NO_COMMAND = `${RUNC}exec: "serve": executable file not found in $PATH: unknown`
const NOT_EXECUTABLE = `${RUNC}exec: "./start.sh": permission denied: unknown`

it.each<[string, Error, RegExp]>([
  ['what a stage says', new DeploymentFailure('There is no Dockerfile.'), /^There is no Dockerfile\.$/],
  ['a source', new RepositoryNeedsCredentials(), /^The repository asks for credentials/],
  ['a deadline', new StageTimedOut('Cloning took longer than 10 minutes.'), /^Cloning took longer/],
  ['a refused file', new SpecRefused('privileged', 'services.a.privileged is not allowed'), /^services\.a\.privileged/],
  ['a builder that is locked up', new BuilderSilent(60_000), /within 60 s.*Restart the container engine/],
  ['a build', build('npm ci ended with 1'), /^The build failed: npm ci ended with 1$/],
  ['a build without memory', build('', { outOfMemory: true }), /^The build ran out of memory and was killed\./],
  ['an edge', new EdgeUnavailable('It does not answer.'), /^The proxy did not accept the new route, so nothing was changed\. It does/],
  ['an engine that is away', new EngineUnreachable('ECONNREFUSED'), /^The container engine did not respond\./],
  ['an engine that refuses', new EngineError(409, 'name is taken'), /^The container engine refused: name is taken$/],
  ['an engine on a full disk', new EngineError(500, 'write /x: no space left on device'), /^There is no space left on the disk\./],
  ['a command that is not there', new EngineError(400, NO_COMMAND), /^The container could not be started: "serve": .+\$PATH\. Check CMD/],
  [
    'a command that may not be run',
    new EngineError(400, NOT_EXECUTABLE),
    /^The container .+: permission denied\. Make the file executable/,
  ],
  ['a database that is away', new DatabaseLost(new Error('ECONNREFUSED')), /^Berth's database does not respond\. Deploy again/],
  ['a full disk', new DiskFull(), /^There is no space left on the disk, or it is read-only\./],
])('says what to do about %s', (_, cause, expected) => {
  expect(failureReason(cause, plain)).toMatch(expected)
  expect(isExpectedFailure(cause)).toBe(true)
})

it.each([new Error('bug'), new TypeError('x is undefined'), 'text', undefined])('shows nothing of a fault of ours: %s', (cause) => {
  expect(failureReason(cause, plain)).toMatch(/^Something went wrong inside Berth;/)
  expect(isExpectedFailure(cause)).toBe(false)
})

it('redacts values of the environment before it cuts a long text', () => {
  const secret = 'correct-horse-battery'
  const reason = failureReason(new DeploymentFailure(`${'x'.repeat(1990)}${secret}`), createRedactor([secret]))
  expect(reason.length).toBeLessThanOrEqual(2000)
  expect(reason).not.toContain(secret.slice(0, 8))
})

it('does not take a database that is away for a full disk', () => {
  expect(failureFacts(new DatabaseLost(new Error('ECONNREFUSED')))).toEqual({ kind: 'passing' })
  expect(failureFacts(new DiskFull())).toEqual({ kind: 'full_disk' })
})
