import { describe, expect, it } from 'vitest'
import { dnsHint } from './dns-record.ts'

const name = 'app.example.com'
const open = { type: 'A', value: '203.0.113.9', isPrivate: false } as const
const open6 = { type: 'AAAA', value: '2001:db8::1', isPrivate: false } as const
const inside = { type: 'A', value: '10.0.0.5', isPrivate: true } as const

describe('the DNS record to set', () => {
  it("is the server's own public address, for each family that it has", () => {
    expect(dnsHint({ domain: name, dnsRecords: [open, open6] }, 'localhost')).toEqual({
      is: 'records',
      records: [
        { type: 'A', name, value: '203.0.113.9' },
        { type: 'AAAA', name, value: '2001:db8::1' },
      ],
    })
    expect(dnsHint({ domain: name, dnsRecords: [inside, open6] }, '10.0.0.5')).toMatchObject({ records: [{ value: '2001:db8::1' }] })
  })

  it.each([
    ['203.0.113.9', 'A', '203.0.113.9'],
    ['[2001:db8::1]', 'AAAA', '2001:db8::1'],
    ['berth.example.com', 'CNAME', 'berth.example.com'],
  ])('is taken from a dashboard at %s where the server knows a private address only', (host, type, value) => {
    expect(dnsHint({ domain: name, dnsRecords: [inside] }, host)).toEqual({ is: 'records', records: [{ type, name, value }] })
  })

  it.each(['localhost', '127.0.0.1', '[::1]', '10.0.0.5', '192.168.1.2', '172.20.0.1', '100.101.1.1', '[fd00::2]', 'nas', 'nas.local'])(
    'is not known from %s, and a private address is said to be one',
    (host) => {
      expect(dnsHint({ domain: name, dnsRecords: [inside] }, host)).toEqual({ is: 'private', addresses: ['10.0.0.5'] })
      expect(dnsHint({ domain: name, dnsRecords: [] }, host)).toEqual({ is: 'unknown' })
    },
  )
})
