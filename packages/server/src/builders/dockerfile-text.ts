import { BuildProblem } from './project.ts'

const PLAIN_PATH = /^[A-Za-z0-9_.@+/~-]+$/
const VERSION = /^[A-Za-z0-9._-]{1,60}$/

/** A path of the repository as it can be written in a Dockerfile: without blanks, quotes and `..`. */
export function pathText(path: string, what: string): string {
  const isInside = !path.startsWith('/') && !path.split('/').includes('..')
  if (PLAIN_PATH.test(path) && isInside) return path
  throw new BuildProblem(
    `${what} is "${path.slice(0, 100)}", which cannot be used in a build. Use a path inside the project with only letters, digits, ".", "_", "-" and "/".`,
  )
}

export function versionText(version: string, what: string): string {
  if (VERSION.test(version)) return version
  throw new BuildProblem(`${what} is "${version.slice(0, 60)}", which is not a version. Use one such as 22 or 22.11.0.`)
}

/** A `RUN` line. A command that the builder would misinterpret is passed to the shell as one argument. */
export function run(command: string, caches: readonly string[] = []): string {
  const mounts = caches.map((cache) => `--mount=type=cache,${cache} `).join('')
  const isMisread = /^(?:--|\[)/.test(command) || command.includes('<<') || command.endsWith('\\')
  return `RUN ${mounts}${isMisread ? JSON.stringify(['/bin/sh', '-c', command]) : command}`
}

export function cmd(argv: readonly string[]): string {
  return `CMD [${argv.map((word) => JSON.stringify(word)).join(', ')}]`
}

/** The build arguments as variables for the following steps. */
export function args(names: readonly string[]): string[] {
  return names.map((name) => `ARG ${name}`)
}

/** A file of several lines, written by the shell: older engines that Berth supports have no here-documents. */
export function writeFile(path: string, lines: readonly string[]): string {
  const quoted = lines.map((line) => `  '${line.replaceAll("'", String.raw`'\''`)}' \\`)
  return [String.raw`RUN printf '%s\n' \ `.trimEnd(), ...quoted, `  > ${path}`].join('\n')
}

/** Sections with an empty line in between. */
export function dockerfile(...stages: (readonly string[])[]): string {
  return `${stages
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const RUN_LINE = /^RUN ((?:--mount=[^ ]+ )*)([^ ].*)$/

/** Gives the build secrets to every step as variables. Those whose names are not names of variables are only for Dockerfiles. */
export function withSecrets(text: string, names: readonly string[]): string {
  const given = names.filter((name) => VARIABLE.test(name))
  if (given.length === 0) return text
  const mounts = given.map((name) => `--mount=type=secret,id=${name} `).join('')
  const exports = given.map((name) => `export ${name}="$(cat /run/secrets/${name} 2>/dev/null)" && `).join('')
  const lines = text.split('\n').map((line) => {
    const [, caches, command = ''] = RUN_LINE.exec(line) ?? []
    if (caches === undefined || command.endsWith('\\')) return line // the second writes a file
    if (!command.startsWith('[')) return `RUN ${caches}${mounts}${exports}${command}`
    const argv = JSON.parse(command) as string[] // written by `run`
    return `RUN ${caches}${mounts}${JSON.stringify([...argv.slice(0, -1), `${exports}${argv.at(-1) ?? ''}`])}`
  })
  return lines.join('\n')
}

/** Runs a command line so that stop signals reach the program itself instead of a shell around it. */
export function startArgv(command: string): string[] {
  const words = plainWords(command)
  return words ?? ['/bin/sh', '-c', withExec(command)]
}

const NEEDS_A_SHELL = /[$`"'\\*?[\]{}()<>|&;~#!\n]/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/

function plainWords(command: string): string[] | undefined {
  const words = command.split(' ').filter((word) => word !== '')
  const isPlain =
    !NEEDS_A_SHELL.test(command) && words[0] !== undefined && !ASSIGNMENT.test(words[0]) && words[0] !== 'exec' && words[0] !== 'cd'
  return isPlain ? words : undefined
}

/** The last of several commands replaces the shell. Anything except commands joined by `&&`, and any `&&` in quotes, is left unchanged. */
function withExec(command: string): string {
  if (hasQuotedAnd(command)) return command
  const parts = command.split('&&')
  const last = parts.at(-1)?.trim() ?? ''
  const unexpanded = last.replace(/\$\{[A-Za-z_]\w*(?::-\w*)?\}/g, '')
  if (/[;|&(){}]|\bexec\b/.test(unexpanded) || /^(?:cd|if|for|while|export|set)\b/.test(last) || last === '') return command
  const program = ASSIGNMENT.test(last) ? `exec env ${last}` : `exec ${last}`
  return [...parts.slice(0, -1).map((part) => part.trim()), program].join(' && ')
}

function hasQuotedAnd(command: string): boolean {
  let quote = ''
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] ?? ''
    if (quote !== '' && command.startsWith('&&', index)) return true
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
  }
  return false
}
