import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DEPLOYMENT_STATUSES, ERRORS, EVENTS, operations, POLICIES, STAGES, sockets } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { jobHandlers } from '../../src/app/jobs.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const OWN = path.basename(import.meta.filename)
const TESTS = globSync('packages/*/{src,test}/**/*.{test.ts,test.tsx,long.ts}', { cwd: ROOT, exclude: ['**/node_modules/**'] })
const TEXT = TESTS.filter((file) => path.basename(file) !== OWN)
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  .join('\n')
const COMMANDS = path.join(ROOT, 'packages/cli/src/commands.ts')

function notNamed(names: readonly string[]): string[] {
  return names.filter((name) => ![`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => TEXT.includes(quoted)))
}

async function jobNames(): Promise<string[]> {
  const nothing = async () => undefined
  return Object.keys(jobHandlers({ runDeployment: nothing, restore: nothing, removeApp: nothing, removeVolume: nothing, moveApp: nothing }))
}

/** Tests give the words of a command as a list: 'apps', 'create'. */
async function commandsNotRun(): Promise<string[]> {
  const { topics } = (await import(COMMANDS)) as { topics: Record<string, { usage: string }[]> } // the list of that file
  const names = Object.values(topics).flatMap((commands) => commands.map(({ usage }) => usage.split(/ [<[]/, 1)[0] ?? ''))
  expect(names).toContain('apps create')
  return names.filter((name) => !new RegExp(`'${name.split(' ').join("',\\s*'")}'`).test(TEXT))
}

describe('every entry of a list is named in some test', () => {
  it('operations', () => expect(notNamed(Object.keys(operations))).toEqual([]))
  it('error codes', () => expect(notNamed(Object.keys(ERRORS))).toEqual([]))
  it('events', () => expect(notNamed(Object.keys(EVENTS))).toEqual([]))
  it('sockets', () => expect(notNamed(Object.keys(sockets))).toEqual([]))
  it('policies', () => expect(notNamed(POLICIES)).toEqual([]))
  it('states of a deployment', () => expect(notNamed(DEPLOYMENT_STATUSES)).toEqual([]))
  it('stages', () => expect(notNamed(STAGES)).toEqual([]))
  it('jobs', async () => expect(notNamed(await jobNames())).toEqual([]))
  it('commands of the command line', async () => expect(await commandsNotRun()).toEqual([]))
})

describe('error codes', () => {
  const sources = globSync('packages/server/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/testing/**'] })
  const text = sources.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n')

  it('are each sent by something', () => {
    const unsent = Object.keys(ERRORS).filter((code) => !text.includes(`'${code}'`))
    expect(unsent).toEqual([])
  })

  it('stand in docs/errors.md with their status, all of them and no other', () => {
    const page = readFileSync(path.join(ROOT, 'docs/errors.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| (.+) \|$/gm)].map(([, code, status, words]) => ({ code, status, words }))
    const documented = rows.map(({ code, status }) => `${code} ${status}`)
    expect(documented.toSorted()).toEqual(
      Object.entries(ERRORS)
        .map(([code, { status }]) => `${code} ${status}`)
        .toSorted(),
    )
    for (const { words } of rows) expect(words?.length).toBeGreaterThan(20)
  })

  it('have a sentence for a person each', () => {
    for (const { message } of Object.values(ERRORS)) expect(message).toMatch(/^[A-Z].*\.$/)
  })
})
