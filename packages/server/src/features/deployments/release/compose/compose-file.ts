import { COMPOSE_FILES } from '@berth/contract'
import { readTextUpTo } from '../../../../git/read-text.ts'
import { resolveInside } from '../../../../git/resolve-inside.ts'
import { DeploymentFailure } from '../../run/stage.ts'

/** Checked before the file is read. Its characters and values are checked afterwards. */
const MAX_BYTES = 1024 * 1024

/** The compose file of a checked-out commit. */
export async function composeFileIn(workspace: string, rootDirectory: string): Promise<{ name: string; text: string }> {
  const root = await resolveInside(workspace, rootDirectory === '' ? '.' : rootDirectory)
  if (root?.kind !== 'directory')
    throw new DeploymentFailure(`The repository has no directory "${rootDirectory}". Check the root directory in the settings.`)
  for (const name of COMPOSE_FILES) {
    const file = await resolveInside(root.path, name)
    if (file?.kind !== 'file') continue
    const text = await readTextUpTo(file.path, MAX_BYTES)
    if (text === null) throw new DeploymentFailure(`The compose file ${name} is longer than 1 MiB. Make it shorter, then deploy again.`)
    return { name, text }
  }
  throw new DeploymentFailure(
    `The repository has no compose file. Berth looks for ${COMPOSE_FILES.join(', ')} in the root directory of the app.`,
  )
}
