import { describe, expect, it } from 'vitest'
import { EMPTY, isPasted, nameFromImage, nameFromUrl, newAppInput, portFor, withProcess, withVariable } from './new-app-form.ts'

describe('the new app form', () => {
  it('asks for a web app with its source, port and environment', () => {
    const values = { ...EMPTY, name: ' shop ', gitCloneUrl: ' https://example.com/a/shop.git ', env: 'A=1\nB="x y"' }
    expect(newAppInput(7, values)).toEqual({
      projectId: 7,
      name: 'shop',
      appType: 'web',
      envVars: { A: '1', B: 'x y' },
      gitProviderId: null,
      gitCloneUrl: 'https://example.com/a/shop.git',
      gitBranch: '',
      rootDirectory: '',
      dockerfilePath: null,
      port: 3000,
    })
  })

  it('asks for a repository of an account by its name, and drops what was chosen the other way', () => {
    const chosen = {
      ...EMPTY,
      name: 'w',
      gitProviderId: 3,
      gitRepository: 'a/shop',
      repositoryUrl: 'https://h/a/shop.git',
      gitBranch: 'next',
    }
    const byAccount = newAppInput(7, { ...chosen, via: 'account', gitCloneUrl: 'https://example.com/other.git' })
    expect(byAccount).toMatchObject({ gitProviderId: 3, gitRepository: 'a/shop', gitBranch: 'next' })
    expect(byAccount).not.toHaveProperty('gitCloneUrl')
    const byUrl = newAppInput(7, { ...chosen, via: 'url', gitCloneUrl: 'https://example.com/other.git' })
    expect(byUrl).toMatchObject({ gitProviderId: null, gitCloneUrl: 'https://example.com/other.git' })
    expect(byUrl).not.toHaveProperty('gitRepository')
    const none = newAppInput(7, { ...EMPTY, name: 'w', via: 'account', gitProviderId: 3, gitCloneUrl: 'https://example.com/other.git' })
    expect(none).toMatchObject({ gitProviderId: null, gitCloneUrl: '' })
  })

  it('says where the build begins, and leaves the Dockerfile out where Compose says it', () => {
    const values = { ...EMPTY, name: 'w', rootDirectory: ' apps/web ', dockerfilePath: 'Dockerfile.prod ' }
    expect(newAppInput(7, values)).toMatchObject({ rootDirectory: 'apps/web', dockerfilePath: 'Dockerfile.prod' })
    expect(newAppInput(7, { ...values, appType: 'compose' })).toMatchObject({ rootDirectory: 'apps/web', dockerfilePath: null })
  })

  it('asks for a ready image with no repository, and not where Compose names them', () => {
    const values = { ...EMPTY, name: 'w', via: 'image', image: ' ghcr.io/a/web:1 ', gitCloneUrl: 'https://example.com/other.git' } as const
    expect(newAppInput(7, values)).toEqual({ projectId: 7, name: 'w', appType: 'web', envVars: {}, image: 'ghcr.io/a/web:1', port: 3000 })
    expect(newAppInput(7, { ...values, appType: 'compose' })).not.toHaveProperty('image')
  })

  it.each([
    ['nginx:1.27', 'nginx'],
    ['ghcr.io/owner/web@sha256:00', 'web'],
    ['127.0.0.1:5000/team/api', 'api'],
  ])('reads a name from the image %s', (image, name) => {
    expect(nameFromImage(image)).toBe(name)
  })

  it('asks for a database with its template and no source', () => {
    expect(newAppInput(7, { ...EMPTY, appType: 'database', name: 'db', templateName: 'postgresql' })).toEqual({
      projectId: 7,
      name: 'db',
      appType: 'database',
      envVars: {},
      templateName: 'postgresql',
    })
  })

  it('asks for the processes of a web app or a service, and of nothing else', () => {
    const processes = withProcess(
      [{ name: ' clock ', replicas: '2', cpuLimit: '', memoryLimit: '128', command: ' node clock.js ' }],
      'worker',
    )
    expect(withProcess(processes, 'clock')).toEqual(processes)
    const values = { ...EMPTY, name: 'w', processes }
    const asked = [
      { name: 'clock', command: 'node clock.js', replicas: 2, memoryLimit: 128 },
      { name: 'worker', command: '', replicas: 1 },
    ]
    expect(newAppInput(7, values)).toMatchObject({ processes: asked })
    expect(newAppInput(7, { ...values, appType: 'service', via: 'image', image: 'a/b' })).toMatchObject({ processes: asked })
    expect(newAppInput(7, EMPTY)).not.toHaveProperty('processes')
    for (const appType of ['compose', 'database'] as const) expect(newAppInput(7, { ...values, appType })).not.toHaveProperty('processes')
  })

  it('lets a service be without a port', () => {
    expect(newAppInput(7, { ...EMPTY, appType: 'service', name: 'w', port: ' ' })).toMatchObject({ port: null })
    expect(newAppInput(7, { ...EMPTY, appType: 'compose', name: 'w', port: '' })).not.toHaveProperty('port')
  })

  it.each([
    ['https://example.com/owner/shop.git', 'shop'],
    ['git@example.com:owner/shop', 'shop'],
    ['https://example.com/owner/shop/', 'shop'],
    ['', ''],
  ])('reads a name from %s', (url, name) => {
    expect(nameFromUrl(url)).toBe(name)
  })
})

it.each([
  ['3000', 'web', 'compose', ''],
  ['', 'compose', 'web', '3000'],
  ['8080', 'web', 'compose', '8080'],
  ['3000', 'web', 'service', '3000'],
] as const)('the port %j of type %s becomes, as %s, %j', (port, appType, next, expected) => {
  expect(portFor(next, { appType, port })).toBe(expected)
})

it('a pasted compose file has no source, and is set once the app is there', () => {
  const pasted = {
    ...EMPTY,
    appType: 'compose',
    composeFrom: 'text',
    name: 'stack',
    gitCloneUrl: 'https://example.com/a.git',
    port: '80',
  } as const
  expect(newAppInput(1, pasted)).toEqual({ projectId: 1, name: 'stack', appType: 'compose', envVars: {}, port: 80 })
  expect([isPasted(pasted), isPasted({ ...pasted, appType: 'web' })]).toEqual([true, false])
})

it('a variable of a compose file is set among those that were typed', () => {
  expect(withVariable('', 'KEY', 'a b')).toBe('KEY="a b"\n')
  expect(withVariable('# mine\nA=1', 'KEY', 'k')).toBe('# mine\nA=1\nKEY=k\n')
  expect(withVariable('# mine\nKEY=k\nB=2', 'KEY', 'other')).toBe('# mine\nKEY=other\nB=2')
  expect(withVariable('A=1\nKEY=k\n', 'KEY', '')).toBe('A=1\n')
  expect(withVariable('KEY=k\nnot a line', 'KEY', 'x')).toBe('KEY=x\nnot a line')
  expect(withVariable('A=1', 'KEY', '')).toBe('A=1')
})
