import { describe, expect, it } from 'vitest'
import { addressText } from './engine-ping.ts'

describe('the address of an engine', () => {
  it('reads as Docker writes it', () => {
    expect(addressText({ socketPath: '/var/run/docker.sock' })).toBe('unix:///var/run/docker.sock')
    expect(addressText({ host: '10.0.0.2', port: 2375 })).toBe('tcp://10.0.0.2:2375')
  })
})
