import type { Engine } from '../../../engine/engine.ts'
import { creationCommand, type MissingVolume, missingVolumes } from '../../../engine/missing-volumes.ts'
import { type Context, DeploymentFailure } from '../run/stage.ts'

type Deps = { engine: Pick<Engine, 'volumes'>; instance: string }
type Mounts = readonly { readonly volume: string; readonly path: string }[]

const MOST_NAMED = 4
const TO_DO =
  'To bring the data here: stop Berth, run the command at the end, copy the data into the volume, and start Berth. To start with an empty one: deploy the app again.'

/** The live release had them, as after a restore on another machine: new ones would be empty, and nobody would see that the data is gone. */
export async function refuseLostVolumes(
  { engine, instance }: Deps,
  { app, ask, signal }: Pick<Context, 'app' | 'ask' | 'signal'>,
  { mounts, until = signal }: { mounts: Mounts; until?: AbortSignal },
): Promise<void> {
  if (mounts.length === 0) return
  const owner = { instance, projectId: app.project_id, appId: app.id }
  const found = await ask(async (each) => await engine.volumes.list({ labels: {}, signal: each }), until)
  const lost = missingVolumes(mounts, found, owner)
  if (lost.length === 0) return
  const named = lost.slice(0, MOST_NAMED)
  const more = lost.length > named.length ? [`${lost.length - named.length} more are missing.`] : []
  const command = creationCommand(
    owner,
    named.map(({ volume }) => volume),
  )
  throw new DeploymentFailure([...named.map(sentence), ...more, TO_DO, `The command: ${command}`].join(' '))
}

function sentence({ volume, path, isThere }: MissingVolume): string {
  if (!isThere) return `Its volume for ${path} (${volume}) is not on this machine.`
  return `Its volume for ${path} (${volume}) is on this machine without the labels of the app: copy its data elsewhere and remove it first.`
}
