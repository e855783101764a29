import { plainUse, type VariableUse } from './interpolate.ts'

/** Far more than a file uses; each is one line of a response. */
const MOST = 1000
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/

/** The variables that a compose file uses, each once. One that is required anywhere is required. */
export function createVariables() {
  const found = new Map<string, VariableUse>()

  function add({ name, fallback, isNeeded, words, isMissing }: VariableUse): void {
    const known = found.get(name)
    if (known === undefined && found.size >= MOST && !isMissing) return
    found.set(name, {
      name,
      fallback: known?.fallback ?? fallback?.slice(0, 500) ?? null,
      isNeeded: isNeeded || (known?.isNeeded ?? false),
      words: known?.words || words.slice(0, 500),
      isMissing: isMissing || (known?.isMissing ?? false),
    })
  }

  /** Variables that are passed on by name: keys of `environment` without a value, and secrets and configs from the environment. */
  function addNamed(source: unknown): void {
    const file = entriesOf(source)
    const services = Object.values(entriesOf(file['services'])).flatMap((service) => passedOn(entriesOf(service)['environment']))
    const contents = [file['secrets'], file['configs']].flatMap((list) => Object.values(entriesOf(list)))
    const named = contents.map((content) => entriesOf(content)['environment']) // a missing one is reported for the secret
    for (const name of [...services, ...named]) if (typeof name === 'string' && NAME.test(name)) add(plainUse(name))
  }

  return {
    add,
    addNamed,
    found: (): VariableUse[] => [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    missing: (): VariableUse[] => [...found.values()].filter(({ isMissing }) => isMissing),
  }
}

function passedOn(environment: unknown): unknown[] {
  if (Array.isArray(environment)) return environment.filter((entry) => typeof entry === 'string' && !entry.includes('='))
  return Object.entries(entriesOf(environment)).flatMap(([name, value]) => (value === null ? [name] : []))
}

function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  // an object and not an array; its values stay unknown
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
