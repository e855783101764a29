import type { Artifact } from '../../../../domain/artifact.ts'
import { EngineError } from '../../../../engine/api/errors.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { DatabaseTemplate } from '../../../templates/templates.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { InPullPlace } from '../pull-places.ts'

type Deps = {
  engine: Pick<Engine, 'images'>
  findTemplate: (name: string) => DatabaseTemplate | undefined
  inPullPlace: InPullPlace
}

/** The image of a database template, pulled if the engine does not have it. */
export function createPullTemplate(deps: Deps) {
  return async function pullTemplate(context: Context): Promise<Artifact> {
    const { app, config, effect, ask, say, output } = context
    await context.enter('building_image', 'Getting the image')
    const template = deps.findTemplate(config.template)
    if (!template) throw new DeploymentFailure(`The template "${config.template}" no longer exists.`)
    const { image } = template
    const isHere = await ask((signal) => deps.engine.images.exists(image, signal))
    if (isHere) say(`Using the image ${image}`)
    else {
      say(`Pulling ${image}`)
      const pull = { onLine: (line: string) => output(line, 'stdout'), onActivity: context.active }
      const pulled = () => effect('engine.pull', (signal) => deps.engine.images.pull(image, { ...pull, signal }))
      await deps.inPullPlace(app.project_id, context, pulled).catch((cause: unknown) => {
        if (cause instanceof EngineError) throw new DeploymentFailure(`The image ${image} could not be pulled: ${cause.message}`, { cause })
        throw cause
      })
    }
    return { kind: 'image', tag: image }
  }
}
