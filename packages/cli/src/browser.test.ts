import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { browserProgram, openInBrowser } from './browser.ts'

describe('opening an address', () => {
  it('starts the program of the system with the address as its one argument, without a shell', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'berth-browser-'))
    const [program, seen] = [join(directory, 'browser'), join(directory, 'seen')]
    const script = `require('fs').writeFileSync(${JSON.stringify(seen)}, process.argv.slice(2).join('|'))`
    writeFileSync(program, `#!${process.execPath}\n${script}\n`)
    chmodSync(program, 0o755)
    const address = 'http://shop.localhost/$(touch x)?a=1&b=2'
    expect(await openInBrowser(program, address)).toBe(true)
    await expect.poll(() => existsSync(seen) && readFileSync(seen, 'utf8'), { timeout: 30_000 }).toBe(address)
    rmSync(directory, { recursive: true })
  })

  it('is left out where there is no such program, or no web address', async () => {
    expect(await openInBrowser(join(tmpdir(), 'no-such-browser'), 'http://shop.localhost')).toBe(false)
    expect(await openInBrowser(process.execPath, '--version')).toBe(false)
    expect(browserProgram('linux')).toBe('xdg-open')
    expect(browserProgram('darwin')).toBe('open')
    expect(browserProgram('win32')).toBeUndefined()
  })
})
