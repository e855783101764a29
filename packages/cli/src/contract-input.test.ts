import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OperationName, operations } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { changeFields, newAppFields } from './commands/app-fields.ts'
import { type Fields, inputFrom, readAs, shapeOf } from './contract-input.ts'

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n')

/** The operations without a command, and why. */
const WITHOUT_A_COMMAND = [
  'webhooks.git', // for git providers
  'deployments.addByHook', // for programs that have nothing but the hook's secret
  'git.githubManifest', // a GitHub App is created in the browser, whose session its state belongs to
  'git.githubCreated', // for GitHub, which sends the browser there
  'git.githubInstalled', // the same
  'containers.logPage', // for screens; `logs --all` prints the whole log
  'overview.get', // for a page that shows everything; the other commands show its parts
  'servers.image', // for the command on a new server
  'backups.download', // for a browser; on the server it is a file
  'auth.join', // an invitation is accepted in the browser
  'figures.glance', // for the cards of a screen
  'deployments.add', // the same as deployments.create
  'deployments.listByApp', // the same as deployments.list
]

describe('the commands', () => {
  it('cover every operation of the API', () => {
    const missing = Object.keys(operations).filter((name) => !sources.includes(`'${name}'`))
    expect(missing.toSorted()).toEqual(WITHOUT_A_COMMAND.toSorted())
  })

  it.each<[OperationName, Fields, string[]]>([
    [
      'apps.create',
      newAppFields,
      ['name', 'projectId', 'envVars', 'status', 'watchPaths', 'buildArgs', 'volumes', 'processes', 'buildSecrets'],
    ],
    ['apps.update', changeFields, ['appId', 'status', 'watchPaths', 'buildArgs', 'volumes', 'processes', 'buildSecrets']],
  ])('%s can set every field', (name, fields, otherwise) => {
    const line: { body?: { properties: object } } = operations[name] as object // it has a body
    const set = Object.values(fields).map(({ field }) => field)
    expect([...set, ...otherwise].toSorted()).toEqual(Object.keys(line.body?.properties ?? {}).toSorted())
  })
})

describe('the text of an option', () => {
  it('is converted to the type of the field', () => {
    const values = { port: '8080', cpus: '0.5', dockerfile: 'none', name: 'none', branch: '' }
    expect(inputFrom('apps.update', changeFields, values)).toEqual({
      port: 8080,
      cpuLimit: 0.5,
      dockerfilePath: null,
      name: 'none',
      gitBranch: '',
    })
    expect(readAs(shapeOf('domains.update', 'hsts') ?? {}, 'on', '--hsts')).toBe(true)
  })

  it('is refused with the expected format', () => {
    expect(() => inputFrom('apps.update', changeFields, { port: 'x' })).toThrow('--port must be a port between 1 and 65535, or none.')
    expect(() => inputFrom('apps.update', changeFields, { memory: '1.5' })).toThrow('--memory must be a whole number of megabytes')
    expect(() => readAs(shapeOf('domains.update', 'hsts') ?? {}, 'perhaps', '--hsts')).toThrow('--hsts must be true or false.')
  })
})
