import { expect, it } from 'vitest'
import { addressText, type EngineAddress, parseEngineAddress } from './address.ts'

it.each<[string, EngineAddress]>([
  ['unix:///var/run/docker.sock', { socketPath: '/var/run/docker.sock' }],
  ['tcp://10.0.0.2:2375', { host: '10.0.0.2', port: 2375 }],
])('reads and writes an address as DOCKER_HOST has it: %s', (text, address) => {
  expect(parseEngineAddress(text)).toEqual(address)
  expect(addressText(address)).toBe(text)
})

it('takes http for tcp, and nothing else', () => {
  expect(parseEngineAddress('http://engine:2375/')).toEqual({ host: 'engine', port: 2375 })
  for (const text of ['', 'ssh://me@host', 'tcp://host', 'https://host:2376', 'tcp://host:port'])
    expect(parseEngineAddress(text)).toBeUndefined()
})
