import { describe, expect, it } from 'vitest'
import { EMPTY, nameFromUrl, newAppInput } from './new-app-form.ts'

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

  it('says where the build begins, and leaves the Dockerfile out where Compose says it', () => {
    const values = { ...EMPTY, name: 'w', rootDirectory: ' apps/web ', dockerfilePath: 'Dockerfile.prod ' }
    expect(newAppInput(7, values)).toMatchObject({ rootDirectory: 'apps/web', dockerfilePath: 'Dockerfile.prod' })
    expect(newAppInput(7, { ...values, appType: 'compose' })).toMatchObject({ rootDirectory: 'apps/web', dockerfilePath: null })
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

  it('lets a service be without a port', () => {
    expect(newAppInput(7, { ...EMPTY, appType: 'service', name: 'w', port: ' ' })).toMatchObject({ port: null })
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
