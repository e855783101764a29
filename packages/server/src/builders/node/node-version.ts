import { BuildProblem, nameIn, type Project } from '../project.ts'
import { imageVersion } from '../version-range.ts'
import type { PackageJson } from './package-json.ts'

const KNOWN = { preferred: 24, majors: [26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 12, 10] }
const CODE_NAMES: Readonly<Record<string, string>> = {
  '*': '24',
  krypton: '24',
  jod: '22',
  iron: '20',
  hydrogen: '18',
  gallium: '16',
  fermium: '14',
  erbium: '12',
  dubnium: '10',
}

export type FoundVersion = { readonly name: string; readonly version: string; readonly from: string }

/** The Node.js version that a project requires: from its own files first, then from those of its workspace. */
export function nodeVersion(projects: readonly Project[], packages: readonly PackageJson[]): FoundVersion {
  for (const [index, project] of projects.entries()) {
    for (const file of ['.nvmrc', '.node-version']) {
      const text = project.read(file).trim()
      if (text !== '') return found(text, nameIn(project, file))
    }
    const tools = project.read('.tool-versions').split('\n')
    const tool = tools.map((line) => line.trim().split(/\s+/)).find(([name]) => name === 'nodejs' || name === 'node')
    if (tool?.[1] !== undefined) return found(tool[1], nameIn(project, '.tool-versions'))
    const engine = packages[index]?.engines['node'] ?? ''
    if (engine !== '') return found(engine, `engines.node in ${nameIn(project, 'package.json')}`)
  }
  return { name: 'Node.js', version: String(KNOWN.preferred), from: 'the default' }
}

function found(text: string, from: string): FoundVersion {
  const first = text.split('\n')[0]?.trim() ?? ''
  const version = codeName(first) ?? imageVersion(first.replace(/^node-?/, ''), KNOWN)
  if (version === undefined)
    throw new BuildProblem(
      `${from} asks for Node.js "${first.slice(0, 60)}", which does not exist. Use a version such as 22, 22.11.0 or >=20, then deploy again.`,
    )
  return { name: 'Node.js', version, from }
}

function codeName(text: string): string | undefined {
  if (text === 'node' || text === 'stable' || text === 'current') return String(KNOWN.preferred)
  return text.startsWith('lts/') ? CODE_NAMES[text.slice(4).toLowerCase()] : undefined
}
