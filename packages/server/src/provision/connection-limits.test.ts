import { expect, it } from 'vitest'
import { connectionLimitRules } from './connection-limits.ts'

it('limits projects, builds and all containers together to parts of the table, by what is open and by the rate of new ones', () => {
  const { ipv4, ipv6 } = connectionLimitRules(8080, 262_144)
  expect(ipv4.map((rule) => rule.join(' '))).toEqual([
    '-i docker0 -m hashlimit --hashlimit-above 819/sec --hashlimit-burst 8192 --hashlimit-mode srcip --hashlimit-srcmask 0 --hashlimit-name berth-builds-8080-819 -j DROP',
    '-i docker0 -m connlimit --connlimit-above 32768 --connlimit-mask 0 --connlimit-saddr -j DROP',
    '-m hashlimit --hashlimit-above 819/sec --hashlimit-burst 8192 --hashlimit-mode srcip --hashlimit-srcmask 24 --hashlimit-name berth-project-8080-819 -j DROP',
    '-m hashlimit --hashlimit-above 1092/sec --hashlimit-burst 8192 --hashlimit-mode srcip --hashlimit-srcmask 0 --hashlimit-name berth-all-8080-1092 -j DROP',
    '-m connlimit --connlimit-above 32768 --connlimit-mask 24 --connlimit-saddr -j DROP',
    '-m connlimit --connlimit-above 65536 --connlimit-mask 0 --connlimit-saddr -j DROP',
  ])
  expect(ipv6.map((rule) => rule.join(' '))).toEqual([
    '-m hashlimit --hashlimit-above 136/sec --hashlimit-burst 8192 --hashlimit-mode srcip --hashlimit-srcmask 0 --hashlimit-name berth-ipv6-8080-136 -j DROP',
    '-m connlimit --connlimit-above 8192 --connlimit-mask 0 --connlimit-saddr -j DROP',
  ])
})

it('stays within what the kernel accepts for a very large table', () => {
  const [project = []] = connectionLimitRules(8080, 100_000_000).ipv4
  expect(project).toContain('10000/sec')
  expect(project).toContain('100000')
})
