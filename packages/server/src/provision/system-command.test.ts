import { describe, expect, it } from 'vitest'
import { outsideOwnUnit, runSystemCommand } from './system-command.ts'

describe('a system command', () => {
  it('answers its output and that it succeeded', async () => {
    expect(await runSystemCommand('echo', ['one two'], { timeoutMs: 10_000 })).toEqual({ ok: true, output: 'one two' })
  })

  it('fails with what it said when it ends with another code than 0', async () => {
    const result = await runSystemCommand('ls', ['--', '/no/such/place'], { timeoutMs: 10_000 })
    expect(result.ok).toBe(false)
    expect(result.output).toContain('/no/such/place')
  })

  it('fails with a reason when the program does not exist', async () => {
    const result = await runSystemCommand('no-such-program', [], { timeoutMs: 10_000 })
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining('ENOENT') })
  })

  it('is ended by its deadline', async () => {
    const result = await runSystemCommand('sleep', ['600'], { timeoutMs: 200 })
    expect(result).toEqual({ ok: false, output: 'stopped before it was done' })
  })

  it('is ended by the signal, and does not start after it', async () => {
    const stopping = new AbortController()
    const running = runSystemCommand('sleep', ['600'], { timeoutMs: 600_000, signal: stopping.signal })
    stopping.abort()
    expect((await running).ok).toBe(false)
    expect((await runSystemCommand('echo', ['never'], { timeoutMs: 1_000, signal: stopping.signal })).output).toBe(
      'stopped before it started',
    )
  })
})

it('a package manager runs in a unit of its own, because that of Berth cannot write to the system', () => {
  expect(outsideOwnUnit(['apt-get', 'update'], true).join(' ')).toMatch(/^systemd-run .*--wait .*-- apt-get update$/)
  expect(outsideOwnUnit(['apt-get', 'update'], false)).toEqual(['apt-get', 'update'])
})
