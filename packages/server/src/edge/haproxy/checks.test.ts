import { describe, expect, it } from 'vitest'
import type { EdgeApp } from '../edge.ts'
import { assignChecks, checkBackends, checkCommands, MOST_CHECKED, targetsToCheck } from './checks.ts'

const app = (appKey: string, ...ips: string[]): EdgeApp => ({ appKey, hosts: [], targets: ips.map((ip) => ({ ip, port: 80 })) })
const ordersOf = (commands: readonly string[], name: string) => commands.filter((command) => command.includes(`${name}/`))

describe('targets that HAProxy checks itself', () => {
  it('are those of several that are on other servers', () => {
    const apps = [app('one', '10.232.0.9'), app('here', '10.224.0.2', '10.224.0.3'), app('there', '10.232.0.3', '10.232.0.2', '10.224.0.4')]
    expect(targetsToCheck({ apps })).toEqual(['10.232.0.2|80', '10.232.0.3|80'])
  })

  it('are shared: an owner with very many leaves those of others theirs, and so does an app', () => {
    const many = (third: number) => Array.from({ length: MOST_CHECKED }, (_, n) => `10.232.${third}.${n + 1}`)
    const greedy = [app('a', ...many(1)), app('b', ...many(2)), app('c', '10.232.3.1', '10.232.3.2')].map((each) => ({
      ...each,
      ownerId: 1,
    }))
    const other = { ...app('d', ...Array.from({ length: 60 }, (_, n) => `10.232.9.${n + 1}`)), ownerId: 2 }
    const checked = targetsToCheck({ apps: [...greedy, other] })
    const count = (third: number) => checked.filter((target) => target.startsWith(`10.232.${third}.`)).length
    expect([1, 2, 3, 9].map(count)).toEqual([33, 33, 2, 60])
  })

  it('keep their backend when others come and go, and the first ones are checked if there are too many', () => {
    const before = assignChecks(new Map(), ['a|1', 'b|1', 'c|1'])
    expect(Object.fromEntries(before)).toEqual({ 'a|1': 'check-1', 'b|1': 'check-2', 'c|1': 'check-3' })
    expect(Object.fromEntries(assignChecks(before, ['c|1', 'd|1', 'a|1']))).toEqual({
      'a|1': 'check-1',
      'c|1': 'check-3',
      'd|1': 'check-2',
    })
    const many = Array.from({ length: MOST_CHECKED + 5 }, (_, n) => `x${n}|1`)
    expect(assignChecks(before, many).size).toBe(MOST_CHECKED)
  })

  it('are in the configuration for the next start, and the other backends are off', () => {
    const text = checkBackends(new Map([['10.232.0.2|80', 'check-2']])).join('\n')
    expect(text).toMatch(/backend check-1\n.*\n.*\n {2}server it 127\.0\.0\.1:1 check .* disabled/)
    expect(text).toMatch(/backend check-2\n.*\n.*\n {2}server it 10\.232\.0\.2:80 check inter 400ms fall 2 rise 2\n/)
  })

  it('a running HAProxy is told what changed; it begins to check something new as if that answered', () => {
    const [before, after] = [
      new Map([['a|1', 'check-1']]),
      new Map([
        ['b|2', 'check-1'],
        ['c|3', 'check-2'],
      ]),
    ]
    expect(checkCommands(before, after)).toEqual([
      'set server check-1/it state maint',
      'set server check-1/it addr b port 2',
      'set server check-1/it state ready',
      'set server check-2/it state maint',
      'set server check-2/it addr c port 3',
      'set server check-2/it state ready',
    ])
    expect(checkCommands(after, new Map([['c|3', 'check-2']]))).toEqual(['set server check-1/it state maint'])
    expect(checkCommands(after, after)).toEqual([])
  })

  it('one that may know some of it already keeps what its checks found', () => {
    const all = checkCommands(undefined, new Map([['a|1', 'check-1']]))
    expect(ordersOf(all, 'check-1')).toEqual(['set server check-1/it addr a port 1', 'set server check-1/it state ready'])
    expect(ordersOf(all, 'check-2')).toEqual(['set server check-2/it state maint'])
    expect(all).toHaveLength(MOST_CHECKED + 1)
  })
})
