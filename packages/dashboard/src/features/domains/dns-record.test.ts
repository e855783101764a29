import { describe, expect, it } from 'vitest'
import { dnsRecord } from './dns-record.ts'

describe('the DNS record to set', () => {
  it.each([
    ['203.0.113.9', 'A', '203.0.113.9'],
    ['[2001:db8::1]', 'AAAA', '2001:db8::1'],
    ['berth.example.com', 'CNAME', 'berth.example.com'],
  ])('for a dashboard at %s is %s', (host, type, value) => {
    expect(dnsRecord('app.example.com', host)).toEqual({ type, name: 'app.example.com', value })
  })

  it.each(['localhost', '127.0.0.1', '[::1]'])('is not known from %s', (host) => {
    expect(dnsRecord('app.example.com', host)).toBeUndefined()
  })
})
