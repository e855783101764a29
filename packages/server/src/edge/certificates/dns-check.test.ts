import { expect, it } from 'vitest'
import { judgeDns } from './dns-check.ts'

it('of many addresses a few are named, the same ones in whatever order they come', () => {
  const found = Array.from({ length: 4000 }, (_, n) => `198.51.${Math.floor(n / 256)}.${n % 256}`)
  const judged = judgeDns('shop.example.test', { found, addresses: ['192.0.2.1'] })
  expect(judged.dnsError).toMatch(/^shop\.example\.test points to (?:\S+ and ){4}others, but this server is 192\.0\.2\.1\./)
  expect(judgeDns('shop.example.test', { found: found.toReversed(), addresses: ['192.0.2.1'] }).dnsError).toBe(judged.dnsError)
})
