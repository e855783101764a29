import { expect, it } from 'vitest'
import { createFacts } from './facts.ts'

function openLab() {
  const asked: string[] = []
  let isUp = true
  const transport = {
    json: async () => {
      asked.push('/info')
      return {
        ServerVersion: `25.0.${asked.length}`,
        OSType: 'linux',
        Architecture: 'aarch64',
        CgroupDriver: 'systemd',
        DockerRootDir: '/var/lib/docker',
        Images: asked.length,
      }
    },
    ping: async () => {
      if (!isUp) throw new Error('it is away')
    },
  }
  return { ...createFacts({ transport }), asked, setUp: (up: boolean) => (isUp = up) }
}

it('the facts are asked for once, and again with the counts and after the engine was away', async () => {
  const lab = openLab()
  expect(await lab.facts()).toMatchObject({
    version: '25.0.1',
    platform: 'linux/arm64',
    cgroupDriver: 'systemd',
    directory: '/var/lib/docker',
  })
  expect(await lab.facts()).toMatchObject({ version: '25.0.1' })
  expect(await lab.counts()).toMatchObject({ images: 2, containersRunning: 0 })
  expect(await lab.facts()).toMatchObject({ version: '25.0.2' })
  lab.setUp(false)
  await expect(lab.ping()).rejects.toThrow('it is away')
  expect(await lab.facts()).toMatchObject({ version: '25.0.3' })
})
