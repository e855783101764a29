import { mkdir } from 'node:fs/promises'
import { kindOf } from '../../../domain/app-kinds.ts'
import { findComposeText } from '../../../domain/compose-text.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Git } from '../../../git/git.ts'
import type { Source } from '../../../git/git-visit.ts'
import type { FetchLfs } from '../../../git/lfs.ts'
import { createRedactor } from '../../../lib/redact.ts'
import type { Reader } from '../../../store/database.ts'
import type { CommitCheck } from '../../git-providers/commit-check.ts'
import { type Context, DeploymentFailure } from '../run/stage.ts'
import { checkoutGaps } from './checkout-gaps.ts'

type Deps = {
  db: Reader
  git: Pick<Git, 'resolveCommit' | 'checkout'>
  sourceOf: (app: AppRow, signal: AbortSignal) => Promise<Source>
  checkCommit: CommitCheck
  fetchLfs: FetchLfs
}

/** The exact commit of the app's repository, in an empty workspace. */
export function createCloneRepository(deps: Deps) {
  return async function cloneRepository(context: Context): Promise<void> {
    const { app, config, deployment, workspace, signal, step, say } = context
    if (app.git_clone_url === '' && (await findComposeText(deps.db, app.id)) !== undefined) {
      await context.enter('cloning_repo', 'Using the Compose file of the app')
      await mkdir(workspace, { recursive: true, mode: 0o700 })
      return
    }
    if (app.git_clone_url === '') {
      await context.enter('cloning_repo', 'Looking for the source of the app')
      throw new DeploymentFailure(`The app has no source. ${wayToSource(app)}, then deploy again.`)
    }
    await context.enter('cloning_repo')
    const source = { ...(await deps.sourceOf(app, signal)), signal }
    await step('git.check', async () => await deps.checkCommit(app, deployment, signal))
    const branch = app.git_branch === '' ? null : app.git_branch
    const hash = deployment.commit_hash || (await step('git.resolve', async () => await deps.git.resolveCommit({ ...source, branch }))).hash
    say(`Fetching commit ${hash.slice(0, 12)}${branch === null ? '' : ` of ${branch}`}`)
    const wanted = { ...source, hash, branch, into: workspace, onActivity: context.active, ...submodulesFor(context) }
    const found = await step('git.checkout', async () => await deps.git.checkout(wanted))
    const { text } = createRedactor([...Object.values(config.env), ...Object.values(context.buildSecrets)]) // also hides a secret that was committed by mistake
    const commit = { hash: found.hash, message: text(found.message), author: text(found.author) }
    await step('db.commit', async () => await context.noteCommit(commit))
    const files = { directory: workspace, submodules: found.submodules, signal, onActivity: context.active }
    const lfs = config.build?.lfs === true ? await step('git.lfs', async () => await deps.fetchLfs(source, files)) : undefined
    if (lfs && lfs.fetched > 0) say(`Fetched ${lfs.fetched} ${lfs.fetched === 1 ? 'file' : 'files'} from Git LFS`)
    const submodules = found.submodules.map(({ path }) => path)
    for (const gap of await checkoutGaps(workspace, { submodules, missing: lfs?.missing })) context.note(gap)
    say(`${commit.hash.slice(0, 12)} ${commit.message.split('\n')[0] ?? ''} (${commit.author})`)
  }
}

function submodulesFor({ config, say }: Context): { onSubmodule?: (path: string) => void } {
  return config.build?.submodules === true ? { onSubmodule: (path) => say(`Fetched the submodule ${path}`) } : {}
}

function wayToSource(app: AppRow): string {
  const isStack = kindOf(app).madeFrom === 'compose'
  return isStack ? 'Set a clone URL in its settings, or paste its compose file there' : 'Set a clone URL in its settings'
}
