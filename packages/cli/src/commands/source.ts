import type { SourceFile } from '@berth/contract'
import { requiredText, textOf } from '../arguments.ts'
import { command } from '../command.ts'
import { findProject } from '../find-app.ts'

function said(file: SourceFile): string {
  if (file.state === 'unknown') return file.reason
  return file.others.length === 0 ? '' : `others: ${file.others.join(', ')}`
}

export const checkSource = command({
  usage: 'apps source check <url>',
  summary: 'Check that a clone URL works and has what a deployment needs; fails if it does not work',
  options: {
    project: { type: 'string', short: 'p', value: 'project', summary: 'the name or ID of the project' },
    branch: { type: 'string', value: 'name', summary: 'the branch (default: the default branch)' },
    root: { type: 'string', value: 'path', summary: 'the directory in the repository to build' },
    dockerfile: { type: 'string', value: 'path', summary: 'the path of the Dockerfile' },
  },
  async run(ctx, { url }, values) {
    const { id: projectId } = await findProject(ctx.api, requiredText(values, 'project'))
    const [gitBranch, rootDirectory, dockerfilePath] = [textOf(values, 'branch'), textOf(values, 'root'), textOf(values, 'dockerfile')]
    const source = { projectId, gitCloneUrl: url, ...(gitBranch !== undefined && { gitBranch }) }
    const check = await ctx.api('apps.checkSource', source)
    ctx.out.line(check.message)
    if (!check.reachable) {
      ctx.out.json(check)
      return 1
    }
    const paths = { ...(rootDirectory !== undefined && { rootDirectory }), ...(dockerfilePath !== undefined && { dockerfilePath }) }
    const files = await ctx.api('apps.checkSourceFiles', { ...source, ...paths })
    ctx.out.line(`Branches: ${check.branches.join(', ')} (default: ${check.defaultBranch})`)
    ctx.out.table(
      ['FILE', 'STATE', 'PATH', 'NOTE'],
      [
        ['Dockerfile', files.dockerfile.state, files.dockerfile.path, said(files.dockerfile)],
        ['Compose file', files.composeFile.state, files.composeFile.path, said(files.composeFile)],
      ],
    )
    ctx.out.json({ ...check, files })
    return 0
  },
})
