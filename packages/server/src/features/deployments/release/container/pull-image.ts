import type { AppProcess, BuildPlan } from '@berth/contract'
import { withProcesses } from '../../../../builders/processes.ts'
import { BuildProblem } from '../../../../builders/project.ts'
import type { Artifact } from '../../../../domain/artifact.ts'
import { buildConfigOf } from '../../../../domain/release-config.ts'
import type { Db } from '../../../../store/database.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { PullImage } from '../pull-images.ts'
import { savePlan } from '../store.ts'

type Deps = { db: Db; pullImage: PullImage }

/** The ready image of an app, by the digest that its tag has now. */
export function createPullReadyImage({ db, pullImage }: Deps) {
  return async function pullReadyImage(context: Context): Promise<Artifact> {
    const { app, config, deployment } = context
    await context.enter('building_image', 'Getting the image')
    // As recorded with the deployment: what the app says by now may be somebody else's image, with somebody else's credentials.
    const { image = app.image, imageSetBy = null, releaseCommand } = config.build ?? buildConfigOf(app)
    const planFor = planWith(config.processes ?? [])
    const { tag } = await pullImage(context, {
      image: deployment.image_ref === '' ? image : deployment.image_ref, // a run that goes on after a crash goes on with the same bytes
      user: { projectId: app.project_id, personId: imageSetBy },
      onResolved: async (ref, digest) => {
        await context.step('db.image', async () => await context.noteImage(ref))
        const plan = planFor({ image, digest, releaseCommand, port: config.port })
        await context.step('db.plan', async () => await db.transaction(async (tx) => await savePlan(tx, deployment.id, plan)))
      },
    })
    return { kind: 'image', tag }
  }
}

type About = { image: string; digest: string; releaseCommand: string; port: number | null }

/** There is no repository, so that the settings have all commands. */
function planWith(processes: readonly AppProcess[]): (of: About) => BuildPlan {
  try {
    const known = withProcesses(planOf({ image: '', digest: '', releaseCommand: '', port: null }), null, processes)
    return (of) => ({ ...planOf(of), processes: known.processes ?? [] })
  } catch (cause) {
    if (cause instanceof BuildProblem) throw new DeploymentFailure(cause.message, { cause })
    throw cause
  }
}

function planOf(of: About): BuildPlan {
  const release = of.releaseCommand.trim()
  return {
    builder: 'image',
    kind: 'image',
    title: of.image,
    files: [],
    versions: [{ name: 'Digest', version: of.digest, from: of.image }],
    commands: release === '' ? [] : [{ name: 'release', command: release, from: 'the settings' }],
    outputDirectory: '',
    port: of.port,
    dockerfile: '',
    notes: [],
  }
}
