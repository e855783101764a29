import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSettings, serverAddress } from './settings.ts'

const newHome = () => mkdtempSync(join(tmpdir(), 'berth-settings-'))

describe('the settings', () => {
  it('are kept in a file that only its owner can read', () => {
    const HOME = newHome()
    createSettings({ HOME }).save({ url: 'https://berth.example.com', token: 'abc' })
    const settings = createSettings({ HOME })
    expect(settings).toMatchObject({ url: 'https://berth.example.com', token: 'abc' })
    expect(statSync(settings.path).mode & 0o777).toBe(0o600)
  })

  it('give way to the environment', () => {
    const HOME = newHome()
    createSettings({ HOME }).save({ url: 'https://berth.example.com', token: 'abc' })
    const settings = createSettings({ HOME, BERTH_URL: 'https://other.example.com', BERTH_TOKEN: 'xyz' })
    expect(settings).toMatchObject({ url: 'https://other.example.com', token: 'xyz' })
  })

  it('never show a saved token to another server', () => {
    const HOME = newHome()
    createSettings({ HOME }).save({ url: 'https://berth.example.com', token: 'abc' })
    expect(createSettings({ HOME, BERTH_URL: 'https://other.example.com' }).token).toBeUndefined()
  })

  it('read an address the way a person writes it', () => {
    expect(serverAddress('berth.example.com')).toBe('https://berth.example.com')
    expect(serverAddress('localhost:8080/login')).toBe('http://localhost:8080')
    expect(serverAddress('http://10.0.0.1:8080')).toBe('http://10.0.0.1:8080')
    expect(serverAddress('https://')).toBeUndefined()
  })
})
