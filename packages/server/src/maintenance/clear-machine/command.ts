import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Config, readConfig } from '../../config.ts'
import { ownedBy } from '../../engine/labels.ts'
import { StartRefused } from '../../lib/start-refused.ts'
import { removeFirewalls } from '../../provision/firewalls.ts'
import { refuseSqliteHere } from '../../store/data-directory-owner.ts'
import { hasData } from '../../store/open.ts'
import { lockDirectory } from '../../store/sqlite/open.ts'
import { type Command, UsageError } from '../command.ts'
import { readInstance } from '../doctor/store.ts'
import { openEngine } from '../open-engine.ts'

type Thing = { readonly words: string; readonly remove: () => Promise<void> }

/** What this instance has in the engine, in the order in which it can be removed. */
async function inEngine(config: Config, options: { withVolumes: boolean }): Promise<Thing[]> {
  const instance = await readInstance(config)
  const engine = openEngine(config, instance)
  const labels = ownedBy({ instance: instance.id })
  const [containers, lent, images, networks, volumes] = await Promise.all([
    engine.containers.list({ labels }),
    engine.lentContainers.list({ labels }),
    engine.images.list({ labels }),
    engine.networks.list({ labels }),
    engine.volumes.list({ labels }),
  ])
  return [
    ...containers.map(({ id, name }) => ({
      words: `container ${name}`,
      remove: async () => await engine.containers.remove(id, undefined, { keepVolumes: true }),
    })),
    ...lent.map(({ id, name }) => ({ words: `container ${name}`, remove: async () => await engine.containers.remove(id) })),
    ...(instance.isSwarmOn ? [{ words: 'agents on other servers', remove: async () => await engine.removeAgents(instance.id) }] : []),
    ...images.map(({ id }) => ({ words: `image ${id}`, remove: async () => await engine.images.remove(id) })),
    ...networks.map(({ name }) => ({ words: `network ${name}`, remove: async () => await engine.networks.remove(name) })),
    ...(options.withVolumes ? volumes : []).map(({ name }) => ({
      words: `volume ${name}`,
      remove: async () => await engine.volumes.remove(name),
    })),
  ]
}

/** What it has elsewhere: needs no engine. */
function outsideEngine({ port, workDir }: Config): Thing[] {
  return [
    { words: `firewall chains of port ${port}`, remove: async () => await removeFirewalls(port) },
    { words: workDir, remove: async () => await rm(workDir, { recursive: true, force: true }) },
  ]
}

export const clearMachineCommand: Command = {
  about:
    'Removes what this Berth has on the machine besides its own files: containers, images, networks, firewall rules and temporary files; volumes only with --volumes. With --list it only says what that is. Berth must be stopped.',
  takes: [],
  options: { list: { type: 'boolean' }, volumes: { type: 'boolean' } },
  async run({ flags }, { print }) {
    const config = readConfig()
    if (config.database.kind === 'sqlite') refuseSqliteHere(config.dataDir)
    if (!existsSync(config.dataDir) || !(await hasData(config))) throw new UsageError(`There is no Berth in ${config.dataDir}.`)
    const options = { isListing: flags['list'] === true, withVolumes: flags['volumes'] === true }
    if (options.isListing) return await clear(config, options, print)
    const lock = lockDirectory(config.dataDir) // a running server would bring back what is removed
    try {
      return await clear(config, options, print)
    } finally {
      lock.close()
    }
  },
}

type Options = { isListing: boolean; withVolumes: boolean }

async function clear(config: Config, { isListing, withVolumes }: Options, print: (text: string) => void): Promise<number> {
  const handle = async ({ words, remove }: Thing) => {
    print(isListing ? words : `removing ${words}`)
    if (!isListing) await remove()
  }
  // The containers first: they must not run without the firewall.
  const found = await inEngine(config, { withVolumes }).then(
    (things) => ({ things }),
    (cause: unknown) => ({ things: [], cause }),
  )
  for (const thing of found.things) await handle(thing)
  for (const thing of outsideEngine(config)) await handle(thing)
  if ('cause' in found)
    throw new StartRefused(
      "Docker does not answer, so what is in it stays, and when it runs again Berth's firewall rules are gone. Start it, or set DOCKER_HOST.",
      { cause: found.cause },
    )
  return 0
}
