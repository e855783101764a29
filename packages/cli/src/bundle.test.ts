import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, startTestServer, type TestServer } from '../../server/testing/harness/start-test-server.ts'
import { bundledCli } from '../testing/bundled-cli.ts'
import { createInstalledCli } from '../testing/run-cli.ts'

const bundle = bundledCli()
const { berth } = createInstalledCli()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ tuning: { engineWaitMs: 2000 } })
})

afterAll(async () => await server?.[Symbol.asyncDispose]())

describe(`the bundle on Node.js ${bundle.version}`, () => {
  it('logs in, creates an app, and follows its deployment over a WebSocket', async () => {
    expect(await berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })).toMatchObject({ code: 0 })
    expect(await berth(['projects', 'create', 'Shop'])).toMatchObject({ code: 0 })
    expect(await berth(['apps', 'create', 'web', '--project', 'Shop', '--git', 'https://127.0.0.1:9/none.git'])).toMatchObject({ code: 0 })
    const followed = await berth(['deploy', 'web'])
    expect(followed.err).toMatch(/^-- /m)
    expect(followed.out).toMatch(/Deployment 1 failed: ./)
    expect(followed.code).toBe(1)
    expect(await berth(['deploy', 'web'], { interruptWhen: '-- ' })).toMatchObject({ code: 130 })
  })

  it('is one file that needs nothing but Node.js', () => {
    expect(readdirSync(bundle.directory)).toEqual(['main.js'])
    const code = readFileSync(bundle.main, 'utf8')
    const imported = [...code.matchAll(/\bimport\s*(?:[\w*{}\s,$]+from\s*)?["']([^"']+)["']/g)].map(([, name = '']) => name)
    expect(imported).toContain('node:util')
    expect(imported.filter((name) => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([])
    const elsewhere = mkdtempSync(join(tmpdir(), 'berth-cli-elsewhere-'))
    expect(execFileSync(bundle.node, [bundle.main, 'help'], { cwd: elsewhere, encoding: 'utf8' })).toContain('Usage:')
    rmSync(elsewhere, { recursive: true })
  })

  it('is installed with npm from a package, without a registry', () => {
    const directory = mkdtempSync(join(tmpdir(), 'berth-cli-install-'))
    const npm = (args: readonly string[]) => execFileSync('npm', [...args], { cwd: directory, encoding: 'utf8' })
    cpSync(resolve(import.meta.dirname, '../package.json'), join(directory, 'package.json'))
    cpSync(bundle.directory, join(directory, 'dist'), { recursive: true })
    const packed = npm(['pack', '--silent']).trim()
    npm(['install', '--silent', '--offline', '--global', '--prefix', join(directory, 'installed'), `./${packed}`])
    const path = `${dirname(bundle.node)}${delimiter}/usr/bin${delimiter}/bin`
    const version = execFileSync(join(directory, 'installed/bin/berth'), ['--version'], { env: { PATH: path }, encoding: 'utf8' })
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/)
    rmSync(directory, { recursive: true })
  })
})
