import { BuildProblem, nameIn, type Project } from '../project.ts'
import { tomlText, type Version } from './plain-plan.ts'

const PREFERRED = 13
const OLDEST = 8
const NEWEST = 14

/** The Python version that a project requires, such as `3.12`. */
export function pythonVersion(project: Project): Version {
  for (const [file, text] of statements(project)) {
    const from = nameIn(project, file)
    const version = text === '' ? undefined : versionOf(text)
    if (version !== undefined) return { name: 'Python', version, from }
    if (text !== '')
      throw new BuildProblem(
        `${from} asks for Python "${text.slice(0, 60)}", which does not exist. Use a version such as 3.12 or >=3.10, then deploy again.`,
      )
  }
  return { name: 'Python', version: `3.${PREFERRED}`, from: 'the default' }
}

function statements(project: Project): [string, string][] {
  const pyproject = project.read('pyproject.toml')
  return [
    ['.python-version', project.read('.python-version').trim().split('\n')[0] ?? ''],
    [
      'runtime.txt',
      project
        .read('runtime.txt')
        .trim()
        .replace(/^python-/, ''),
    ],
    ['pyproject.toml', tomlText(pyproject, 'requires-python') || tomlText(pyproject, 'python')],
    ['Pipfile', tomlText(project.read('Pipfile'), 'python_version')],
  ]
}

function versionOf(text: string): string | undefined {
  const exact = /^(?:==\s?)?(3\.\d{1,2}(?:\.\d{1,3})?)(?:\.\*)?$/.exec(text.trim())?.[1]
  if (exact !== undefined) return Number(exact.split('.')[1]) > NEWEST ? undefined : exact
  const conditions = text
    .split(',')
    .map((part) => /^\s?(>=|<=|<|>|~=|\^|~|==|!=)\s?(3|4)(?:\.(\d{1,2}))?(?:\.[\d*]{1,3})?\s?$/.exec(part.trim()))
  if (conditions.some((condition) => condition === null)) return undefined
  const fits = (minor: number) => conditions.every((condition) => isMet(condition, minor))
  const candidates = [PREFERRED, ...Array.from({ length: NEWEST - OLDEST + 1 }, (_, index) => NEWEST - index)]
  const minor = candidates.find(fits)
  return minor === undefined ? undefined : `3.${minor}`
}

function isMet(condition: RegExpExecArray | null, candidate: number): boolean {
  const [operator, major, minor] = [condition?.[1], Number(condition?.[2]), condition?.[3]]
  if (major === 4) return operator === '<' || operator === '<='
  if (minor === undefined) return true
  const wanted = Number(minor)
  switch (operator ?? '') {
    case '>=':
    case '^':
      return candidate >= wanted
    case '>':
      return candidate > wanted
    case '<':
      return candidate < wanted
    case '<=':
      return candidate <= wanted
    case '!=':
      return candidate !== wanted
    case '~=':
      return candidate >= wanted
    default:
      return candidate === wanted
  }
}
