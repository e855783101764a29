import { expect, it } from 'vitest'
import { OWNER } from '../../server/testing/harness/start-test-server.ts'
import { openServersLab } from '../../server/testing/labs/servers-lab.ts'
import { createCli } from '../testing/run-cli.ts'

it('servers are added and changed from the command line', { tags: 'long' }, async () => {
  await using lab = await openServersLab({ nodes: 2 })
  const { berth } = createCli()
  await berth(['login', lab.berth.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  const says = async (words: string[], code = 0): Promise<string> => {
    const ended = await berth(words)
    expect(ended, words.join(' ')).toMatchObject({ code })
    return ended.out + ended.err
  }

  expect(await says(['servers'])).toMatch(/^this +n1 \(this server\) +- +manager +ready /m)
  expect(await says(['servers', 'add'], 2)).toContain('--yes')
  const added = await says(['servers', 'add', '--yes', '--address', lab.here.address])
  expect(added).toContain('The containers that run now are not touched.')
  await says(['servers', 'stop-adding'])
  const again = await says(['servers', 'add'])
  const command = again.split('\n').find((line) => line.startsWith('curl ')) ?? ''
  await lab.others[0]?.run('sh', '-c', command)
  await lab.server('n2', ({ checkedAt }) => checkedAt !== null)

  expect(await says(['servers', 'check', 'n2'], 1)).toMatch(/^no-new-privileges +problem/m)
  expect(await says(['servers', 'label', 'n2', 'ssd', 'zone-a'])).toContain('n2 has the labels ssd, zone-a.')
  expect(await says(['servers', 'edge', 'n2', 'on'], 1)).toContain('n2 has not passed its check.')
  expect(await says(['servers', 'edge', 'n1', 'off'], 1)).toContain('always on')
  expect(await says(['servers', 'edge', 'n2', 'maybe'], 2)).toContain('Say "on" or "off"')
  expect(await says(['servers', 'pause', 'n2'])).toContain('n2 is paused.')
  expect(await says(['servers', 'outages'])).toContain('SERVER')
  expect(await says(['servers'])).toMatch(/ n2 .* worker +ready, pause, check failed .* ssd, zone-a$/m)
  expect(await says(['servers', 'activate', 'n2'])).toContain('n2 is active.')
  expect(await says(['servers', 'managers', 'n1', 'n2'], 1)).toContain('one manager or three')
  expect(await says(['servers', 'remove', 'n2', '--yes'], 1)).toContain('Drain n2 first')
  expect(await says(['servers', 'drain', 'n2'])).toContain('n2 is being drained.')
  expect(await says(['servers', 'remove', 'n2', '--yes'])).toContain('docker swarm leave')
  expect(await says(['servers', 'drain', 'n2'], 1)).toContain('There is no server "n2".')
  expect(await says(['servers', 'turn-off'], 2)).toContain('leaves Swarm mode')
  expect(await says(['servers', 'turn-off', '--yes'])).toContain('this server')
})
