import { type AppVolume, sizeWords } from '@berth/contract'
import { YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { findApp } from '../find-app.ts'

const NEXT_DEPLOYMENT = 'This takes effect with the next deployment.'

async function wholeApp(ctx: Context, nameOrId: string) {
  const { id: appId } = await findApp(ctx.api, nameOrId)
  return await ctx.api('apps.get', { appId })
}

async function setVolumes(ctx: Context, appId: number, volumes: readonly AppVolume[], said: string): Promise<void> {
  const answer = await ctx.api('apps.update', { appId, volumes: [...volumes] })
  ctx.out.line(`${said} ${NEXT_DEPLOYMENT}`)
  ctx.out.json(answer)
}

const storage = command({
  usage: 'storage <app>',
  summary: 'Show the volumes of an app and their sizes',
  async run(ctx, { app }) {
    const { id: appId, volumes } = await wholeApp(ctx, app)
    const answer = await ctx.api('apps.storage', { appId })
    const settings = new Map(volumes.map((volume) => [volume.name, volume]))
    const stored = answer.volumes.map(({ name, volume, bytes }) => {
      const isUnused = volume !== '' && !settings.has(volume)
      return [volume || name, isUnused ? '(not mounted)' : (settings.get(volume)?.path ?? '-'), sizeWords(bytes)]
    })
    const isStored = (name: string) => answer.volumes.some(({ volume }) => volume === name)
    const planned = volumes.filter(({ name }) => !isStored(name)).map(({ name, path }) => [name, path, '(not created yet)'])
    ctx.out.table(['VOLUME', 'PATH', 'SIZE'], [...stored, ...planned])
    ctx.out.json(answer)
  },
})

const add = command({
  usage: 'volumes add <app> <name> <path>',
  summary: 'Give an app a volume at a path, such as: berth volumes add web uploads /data',
  options: {
    shareable: {
      type: 'boolean',
      summary: 'several containers can use it at once, so that a release does not have to stop before the next one starts',
    },
  },
  async run(ctx, { app: nameOrId, name, path }, values) {
    const { id, volumes, name: appName } = await wholeApp(ctx, nameOrId)
    const volume = { name, path, shareable: values['shareable'] === true }
    await setVolumes(ctx, id, [...volumes.filter((each) => each.name !== name), volume], `${appName} has the volume ${name} at ${path}.`)
  },
})

const remove = command({
  usage: 'volumes remove <app> <name>',
  summary: 'Stop mounting a volume; its data is kept',
  async run(ctx, { app: nameOrId, name }) {
    const { id, volumes, name: appName } = await wholeApp(ctx, nameOrId)
    const rest = volumes.filter((volume) => volume.name !== name)
    if (rest.length === volumes.length)
      throw new CannotDo('volume_not_found', `${appName} has no volume ${name}.`, `Try: berth storage ${id}`)
    await setVolumes(ctx, id, rest, `${appName} no longer has the volume ${name}; its data is kept.`)
  },
})

const destroy = command({
  usage: 'volumes delete <app> <name>',
  summary: 'Delete a volume that is no longer mounted, with its data; asks first',
  options: YES,
  async run(ctx, { app: nameOrId, name: volume }, values) {
    const { id: appId } = await findApp(ctx.api, nameOrId)
    await ctx.prompt.confirm(volume, values['yes'] === true)
    const answer = await ctx.api('volumes.delete', { appId, volume })
    ctx.out.line(`The volume ${volume} is being deleted.`)
    ctx.out.json(answer)
  },
})

export const volumes = [storage, add, remove, destroy]
