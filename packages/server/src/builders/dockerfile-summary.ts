import { parseForeignJson } from '../lib/foreign-json.ts'

/** What a Dockerfile says about the image it builds, for people. Nothing is decided from it. */
export type DockerfileSummary = {
  /** The image that the last stage begins with; empty if it is not known before the build. */
  readonly base: string
  /** What a container runs; empty if the base image says it. */
  readonly start: string
  /** The TCP ports that it exposes. */
  readonly ports: readonly number[]
}

type Given = { readonly buildArgs: Readonly<Record<string, string>>; readonly target: string }
type Stage = { name: string; base: string; entrypoint: string; cmd: string; ports: readonly number[] }

const LONGEST_LINE = 4000
const LONGEST_IMAGE = 1024
const MOST_PORTS = 100
const NOTHING: DockerfileSummary = { base: '', start: '', ports: [] }

/** Reads the stage that is built, with what it has from the stages below it. */
export function summaryOf(text: string, { buildArgs, target }: Given): DockerfileSummary {
  const values = new Map<string, string>()
  const stages: Stage[] = []
  const named = new Map<string, Stage>()
  for (const { keyword, rest } of instructionsIn(text)) {
    const stage = stages.at(-1)
    if (keyword === 'FROM') stages.push(stageFrom(rest, named, values))
    else if (stage === undefined) noteArgument(keyword, rest, values, buildArgs)
    else if (keyword === 'ENTRYPOINT') Object.assign(stage, { entrypoint: commandIn(rest), cmd: '' })
    else if (keyword === 'CMD') stage.cmd = commandIn(rest)
    else if (keyword === 'EXPOSE') stage.ports = [...new Set([...stage.ports, ...portsIn(rest)])].slice(0, MOST_PORTS)
  }
  const built = target === '' ? stages.at(-1) : stages.find(({ name }) => name === target.toLowerCase())
  if (built === undefined) return NOTHING
  const start = [built.entrypoint, built.cmd].filter((each) => each !== '').join(' ')
  return { base: built.base, start, ports: built.ports }
}

/** Instructions with their continued lines; comments and the bodies of here-documents are skipped. */
function* instructionsIn(text: string): Generator<{ keyword: string; rest: string }> {
  let open = ''
  let until: string | undefined
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.slice(0, LONGEST_LINE).trim()
    if (until !== undefined) {
      if (line === until) until = undefined
      continue
    }
    if (line === '' || line.startsWith('#')) continue
    open = `${open}${line}`.slice(0, LONGEST_LINE)
    if (line.endsWith('\\')) {
      open = open.slice(0, -1)
      continue
    }
    const [first = '', ...words] = open.split(/\s+/)
    const keyword = first.toUpperCase()
    open = ''
    const rest = words.join(' ')
    if (['RUN', 'COPY', 'ADD'].includes(keyword)) until = /<<-?["']?([A-Za-z_]\w*)/.exec(rest)?.[1]
    yield { keyword, rest }
  }
}

/** The stages by their names; of two with the same name the later one counts. */
function stageFrom(rest: string, named: Map<string, Stage>, values: ReadonlyMap<string, string>): Stage {
  const [image = '', as = '', word = ''] = rest.split(' ').filter((each) => !each.startsWith('--'))
  const name = as.toUpperCase() === 'AS' ? word.toLowerCase() : ''
  const below = named.get(image.toLowerCase())
  const stage = below ? { ...below, name } : { name, base: filledIn(image, values), entrypoint: '', cmd: '', ports: [] }
  if (name !== '') named.set(name, stage)
  return stage
}

function noteArgument(keyword: string, rest: string, values: Map<string, string>, given: Given['buildArgs']): void {
  if (keyword !== 'ARG') return
  for (const word of rest.split(' ')) {
    const [name = '', ...value] = word.split('=')
    values.set(name, given[name] ?? value.join('=').replaceAll(/["']/g, ''))
  }
}

/** Empty if a variable of it has no value. */
function filledIn(image: string, values: ReadonlyMap<string, string>): string {
  let isKnown = true
  let length = 0
  const filled = image.replaceAll(
    /\$\{([A-Za-z_]\w{0,100})(?::-([\w.:/@+-]{0,200}))?\}|\$([A-Za-z_]\w{0,100})/g,
    (_, braced?: string, or?: string, plain?: string) => {
      const value = values.get(braced ?? plain ?? '') || or || ''
      length += value.length
      isKnown &&= value !== '' && length <= LONGEST_IMAGE
      return isKnown ? value : ''
    },
  )
  return isKnown ? filled : ''
}

/** A list of words as one line, and a shell command as it is. */
function commandIn(rest: string): string {
  if (!rest.startsWith('[')) return rest
  try {
    const words: unknown = parseForeignJson(rest)
    return Array.isArray(words) ? words.map(String).join(' ') : rest
  } catch {
    return rest // then the builder takes it for a shell command too
  }
}

function portsIn(rest: string): number[] {
  return rest.split(' ').flatMap((word) => {
    const port = /^(\d{1,5})(?:\/tcp)?$/i.exec(word)?.[1]
    return port === undefined ? [] : [Number(port)]
  })
}
