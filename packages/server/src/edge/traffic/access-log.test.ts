import { expect, it } from 'vitest'
import { haproxyConfig } from '../haproxy/config.ts'
import { listeningInodes } from '../host/port-holder.ts'
import { lastAlerts } from '../host/process.ts'
import { retryDelayMs } from '../retry-delay.ts'
import { parseAccessLine } from './access-log.ts'
import { addLatency, emptyHistogram, quantileMs } from './latency-histogram.ts'

it('a log line tells the app, the status, the latency and the bytes', () => {
  expect(parseAccessLine('a12|rs 200 5 283 96')).toEqual({ appKey: 'a12', status: 200, latencyMs: 5, bytesOut: 283, bytesIn: 96 })
  expect(parseAccessLine('a12| 101 5 283 96')?.latencyMs).toBeUndefined()
  expect(parseAccessLine('a12| 502 -1 283 96')?.latencyMs).toBeUndefined()
  for (const other of ['- 404 -1 378 87', '', 'a12| 200', 'a12| x 5 283 96', 'a12| 200 5 283 96 7'])
    expect(parseAccessLine(other)).toBeUndefined()
})

it('quantiles come from a histogram within a fifth of the truth', () => {
  const histogram = emptyHistogram()
  for (let ms = 1; ms <= 1000; ms += 1) addLatency(histogram, ms)
  const median = quantileMs([histogram, emptyHistogram()], 0.5) ?? 0
  expect(median).toBeGreaterThanOrEqual(500)
  expect(median).toBeLessThan(600)
  expect(quantileMs([emptyHistogram()], 0.5)).toBeUndefined()
})

it('the configuration depends on settings alone and carries its own hash', () => {
  const settings = { dir: '/data/edge', httpPort: 80, httpsPort: 443, ipv6: true, cores: 2, containerNetworks: ['10.224.0.0/12'] }
  const one = haproxyConfig(settings)
  expect(haproxyConfig(settings)).toEqual(one)
  expect(one.text).toContain(`description berth-${one.hash}`)
  expect(haproxyConfig({ ...settings, httpPort: 8080 }).hash).not.toBe(one.hash)
  expect(() => haproxyConfig({ ...settings, dir: '/my data' })).toThrow('letters, digits')
})

it('a failing edge is tried again soon at first and every half minute later', () => {
  expect([1, 2, 3, 50].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 30_000])
})

it('what HAProxy says before it ends is cut down to the reason', () => {
  const output = '[NOTICE]   (1) : haproxy version is 2.6\n[ALERT]    (1) : Binding [x.cfg:45] for frontend http: cannot bind socket\n'
  expect(lastAlerts(output)).toBe(' It said: Binding [x.cfg:45] for frontend http: cannot bind socket')
  expect(lastAlerts('fine')).toBe('')
})

it('the sockets that listen on a port are found in the table of the kernel', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0',
    '   1: 0100007F:0050 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0',
    '   2: 00000000:0051 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0',
  ].join('\n')
  expect(listeningInodes(table, 80)).toEqual(['4711'])
})
