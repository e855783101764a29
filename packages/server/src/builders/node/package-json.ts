import { BuildProblem, jsonIn, nameIn, type Project, recordIn, textIn } from '../project.ts'

/** The parts of a package.json that a build needs. */
export type PackageJson = {
  readonly name: string
  readonly main: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly isWorkspaceRoot: boolean
  readonly packageManager: string
  readonly engines: Readonly<Record<string, string>>
}

export function readPackageJson(project: Project): PackageJson {
  const json = jsonIn(project, 'package.json')
  return {
    name: textIn(json['name']),
    main: textIn(json['main']),
    scripts: texts(json['scripts']),
    dependencies: { ...texts(json['devDependencies']), ...texts(json['dependencies']) },
    isWorkspaceRoot: isWorkspaceRoot(project, json),
    packageManager: textIn(json['packageManager']),
    engines: texts(json['engines']),
  }
}

export function isWorkspaceRoot(project: Project, json = jsonIn(project, 'package.json')): boolean {
  return json['workspaces'] !== undefined || project.has('pnpm-workspace.yaml')
}

function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(recordIn(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Whether installing runs scripts of the project itself, which may need more than its package.json. */
export function runsOnInstall({ scripts }: PackageJson): boolean {
  return ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'].some((name) => Object.hasOwn(scripts, name))
}

export function scriptOf({ scripts }: PackageJson, name: string): string {
  return Object.hasOwn(scripts, name) ? (scripts[name] ?? '') : ''
}

export function dependsOn({ dependencies }: PackageJson, name: string): boolean {
  return Object.hasOwn(dependencies, name)
}

/** The major version of a dependency, for display; empty if it is not a number. */
export function majorOf({ dependencies }: PackageJson, name: string): string {
  return /^[\^~>=v ]*(\d{1,4})/.exec(dependencies[name] ?? '')?.[1] ?? ''
}

/** The name of the package, for tools that select a package of a workspace by name. */
export function packageName(project: Project, { name }: PackageJson): string {
  if (/^(?:@[A-Za-z0-9._-]+\/)?[A-Za-z0-9._-]+$/.test(name)) return name
  throw new BuildProblem(`${nameIn(project, 'package.json')} has no "name". A workspace package needs one: add it, then deploy again.`)
}
