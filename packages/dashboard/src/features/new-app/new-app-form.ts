import { type AppType, formatDotenv, type Input, parseDotenv } from '@berth/contract'
import { NEW_PROCESS, type ProcessRow, processesIn } from '../../shared/process-values.ts'
import { type ChosenSource, NO_SOURCE } from '../../shared/source-values.ts'

export type NewAppValues = ChosenSource & {
  appType: AppType
  name: string
  templateName: string
  rootDirectory: string
  dockerfilePath: string
  port: string
  /** Empty for what is detected. */
  installCommand: string
  buildCommand: string
  startCommand: string
  outputDirectory: string
  /** Beside the main one. */
  processes: ProcessRow[]
  env: string
  /** Where a compose app comes from. */
  composeFrom: 'repository' | 'text'
  composeFile: string
}

export const EMPTY: NewAppValues = {
  ...NO_SOURCE,
  appType: 'web',
  name: '',
  templateName: '',
  rootDirectory: '',
  dockerfilePath: '',
  port: '3000',
  installCommand: '',
  buildCommand: '',
  startCommand: '',
  outputDirectory: '',
  processes: [],
  env: '',
  composeFrom: 'repository',
  composeFile: '',
}

/** The port after another type was picked: what was typed stays. A compose file says itself which port it publishes. */
export function portFor(next: AppType, { appType, port }: Pick<NewAppValues, 'appType' | 'port'>): string {
  const usual = (type: AppType) => (type === 'compose' ? '' : EMPTY.port)
  return port === usual(appType) ? usual(next) : port
}

/** Only the fields that this type of app needs. */
export function newAppInput(projectId: number, values: NewAppValues): Input<'apps.create'> {
  const { appType, name, templateName, rootDirectory, port, env } = values
  const { variables } = parseDotenv(env)
  const envVars = Object.fromEntries(variables.map(({ key, value }) => [key, value]))
  const shared = { projectId, name: name.trim(), appType, envVars }
  if (appType === 'database') return { ...shared, templateName }
  const none = appType === 'compose' ? {} : { port: null } // a compose file says which one it has
  const portInput = port.trim() === '' ? none : { port: Number(port) }
  const processes = mayHaveProcesses(values) && values.processes.length > 0 ? { processes: processesIn(values.processes) } : {}
  if (isImage(values)) return { ...shared, image: values.image.trim(), ...portInput, ...processes }
  const dockerfilePath = appType === 'compose' ? '' : values.dockerfilePath.trim()
  const place = { rootDirectory: rootDirectory.trim(), dockerfilePath: dockerfilePath === '' ? null : dockerfilePath }
  if (isPasted(values)) return { ...shared, ...portInput }
  return { ...shared, ...sourceInput(values), ...place, ...portInput, ...(appType === 'compose' ? {} : steeringOf(values)), ...processes }
}

export const STEERING = ['installCommand', 'buildCommand', 'startCommand', 'outputDirectory'] as const
export type Steering = Partial<Record<(typeof STEERING)[number], string>>

/** What was typed in place of what is detected. */
export function steeringOf(values: Pick<NewAppValues, (typeof STEERING)[number]>): Steering {
  return Object.fromEntries(STEERING.map((key) => [key, values[key].trim()] as const).filter(([, text]) => text !== ''))
}

/** Compose files have services instead, and databases one process. */
export function mayHaveProcesses({ appType }: Pick<NewAppValues, 'appType'>): boolean {
  return appType === 'web' || appType === 'service'
}

/** The rows with one that runs the process of this name as the repository says. */
export function withProcess(rows: readonly ProcessRow[], name: string): ProcessRow[] {
  return rows.some((row) => row.name.trim() === name) ? [...rows] : [...rows, { ...NEW_PROCESS, name }]
}

/** Compose files name their images themselves. */
export function isImage({ via, appType }: Pick<NewAppValues, 'via' | 'appType'>): boolean {
  return via === 'image' && (appType === 'web' || appType === 'service')
}

/** A compose app whose file is set by itself, once the app is there. */
export function isPasted({ appType, composeFrom }: Pick<NewAppValues, 'appType' | 'composeFrom'>): boolean {
  return appType === 'compose' && composeFrom === 'text'
}

/** `.env` text with one variable changed, or removed if the value is empty. Everything else stays as it was typed. */
export function withVariable(env: string, name: string, value: string): string {
  const line = value === '' ? '' : formatDotenv([{ key: name, value }])
  const lines = env.split(/(?<=\n)/)
  const at = lines.findLastIndex((each) => parseDotenv(each).variables[0]?.key === name)
  if (at === -1) return `${env}${env === '' || env.endsWith('\n') || line === '' ? '' : '\n'}${line}`
  return lines.toSpliced(at, 1, line).join('')
}

function sourceInput({ via, gitProviderId, gitRepository, gitCloneUrl, gitBranch }: ChosenSource) {
  const branch = { gitBranch: gitBranch.trim() }
  if (via === 'account' && gitRepository !== '') return { gitProviderId, gitRepository, ...branch }
  return { gitProviderId: null, gitCloneUrl: via !== 'url' && via !== '' ? '' : gitCloneUrl.trim(), ...branch }
}

/** The default name: the last part of the clone URL. */
export function nameFromUrl(url: string): string {
  const last = url.trim().replace(/\/+$/, '').split(/[/:]/).at(-1) ?? ''
  return last.replace(/\.git$/, '')
}

/** The default name of an app that runs an image: the last part of the image, without its tag. */
export function nameFromImage(image: string): string {
  return image.trim().split('/').at(-1)?.split(/[:@]/)[0] ?? ''
}

/** What the form begins with: nothing, or a database that was chosen among the templates. */
export function startOf(templateName: string): NewAppValues {
  return templateName === '' ? EMPTY : { ...EMPTY, appType: 'database', templateName, name: templateName }
}
