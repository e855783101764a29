import { expect, it } from 'vitest'
import { connectionLimitRules } from './connection-limits.ts'

it('leaves a quarter of the table free, whatever containers do, and half of it whatever one project does', () => {
  const lines = connectionLimitRules(8080, 262_144).map((rule) => rule.join(' '))
  expect(lines).toEqual([
    '-m hashlimit --hashlimit-above 819/sec --hashlimit-burst 8192 --hashlimit-mode srcip --hashlimit-srcmask 24 --hashlimit-name berth-project-8080 -j DROP',
    '-m hashlimit --hashlimit-above 1092/sec --hashlimit-burst 8192 --hashlimit-mode srcip --hashlimit-srcmask 0 --hashlimit-name berth-all-8080 -j DROP',
    '-m connlimit --connlimit-above 32768 --connlimit-mask 24 --connlimit-saddr -j DROP',
    '-m connlimit --connlimit-above 65536 --connlimit-mask 0 --connlimit-saddr -j DROP',
  ])
})

it('stays within what the kernel accepts for a very large table', () => {
  const [project = []] = connectionLimitRules(8080, 100_000_000)
  expect(project).toContain('10000/sec')
  expect(project).toContain('100000')
})
