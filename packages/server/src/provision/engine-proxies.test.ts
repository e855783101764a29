import { expect, it } from 'vitest'
import { proxyTargetOf } from './engine-proxies.ts'

const command = (text: string) => text.split(' ')

it('reads where a proxy leads to from its command line', () => {
  const line = '/usr/bin/docker-proxy -proto tcp -host-ip 0.0.0.0 -host-port 5432 -container-ip 172.17.0.2 -container-port 5433'
  expect(proxyTargetOf(command(line))).toEqual({ address: '172.17.0.2', port: 5433 })
  expect(proxyTargetOf(command(line.replace('172.17.0.2', 'fd00::2')))).toEqual({ address: 'fd00::2', port: 5433 })
})

it.each([
  '',
  'dockerd --host unix:///var/run/docker.sock',
  'docker-proxy -proto udp -container-ip 172.17.0.2 -container-port 53',
  'docker-proxy -proto tcp -container-ip name -container-port 53',
  'docker-proxy -proto tcp -container-ip 172.17.0.2 -container-port 0',
  'docker-proxy -proto tcp -container-ip 172.17.0.2',
  '/bin/other -proto tcp -container-ip 172.17.0.2 -container-port 53',
])('finds none in %j', (line) => {
  expect(proxyTargetOf(command(line))).toBeUndefined()
})
