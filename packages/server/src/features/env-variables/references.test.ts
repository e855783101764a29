import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../testing/harness/cpu-seconds.ts'
import { factsOf } from './app-facts.ts'
import { referencesIn, resolveReferences, type Source } from './references.ts'

type Values = Record<string, string>

function app(slug: string, values: Values, more: { port?: number | null; url?: string } = {}): [string, Source] {
  const { port = 3000, url = '' } = more
  return [slug, { variables: new Map(Object.entries(values)), fact: factsOf({ slug, port, url }) }]
}

function database(slug: string, values: Values): [string, Source] {
  const connectionUrl = (host: string, env: Readonly<Values>) => `db://${env['USER'] ?? ''}:${env['PASSWORD'] ?? ''}@${host}:5432`
  return [slug, { variables: new Map(Object.entries(values)), fact: factsOf({ slug, port: 5432, url: '', connectionUrl }) }]
}

const project = (values: Values): [string, Source] => ['project', { variables: new Map(Object.entries(values)) }]

function resolve(values: Values, ...sources: [string, Source][]) {
  return resolveReferences(new Map(Object.entries(values)), new Map(sources))
}

/** The one variable X. */
function valueOf(value: string, ...sources: [string, Source][]): string | undefined {
  const { env, problems } = resolve({ X: value }, ...sources)
  return problems[0]?.message ?? env['X']
}

const DB = database('db', { USER: 'berth', PASSWORD: 'first', PLAIN: 'plain' })
const API = app('api', { HOST: '0.0.0.0', PORT: '9', NAME: 'api', DB: '${{db.URL}}' }, { port: 8080, url: 'https://api.example.com/' })

describe('a reference stands for', () => {
  it.each([
    ['${{db.URL}}', 'db://berth:first@db:5432'],
    ['${{db.INTERNAL_URL}}', 'db://berth:first@db:5432'],
    ['${{db.HOST}}:${{db.PORT}}', 'db:5432'],
    ['${{db.PASSWORD}}', 'first'],
    ['${{api.HOST}}:${{api.PORT}}', 'api:8080'],
    ['${{api.INTERNAL_URL}}/v1', 'http://api:8080/v1'],
    ['${{api.PUBLIC_URL}}/v1', 'https://api.example.com/v1'],
    ['${{ api.NAME }}', 'api'],
    ['${{api.DB}}', 'db://berth:first@db:5432'],
    ['${{project.REGION}}', 'eu'],
    ['${{project.NESTED}}', 'eu and db'],
    ['$${{db.URL}}', '${{db.URL}}'],
    ['$$${{db.URL}}', '$${{db.URL}}'],
    ['price $5 ${A} {{b.C}}', 'price $5 ${A} {{b.C}}'],
  ])('%s: %s', (value, expected) => {
    expect(valueOf(value, DB, API, project({ REGION: 'eu', NESTED: '${{project.REGION}} and ${{db.HOST}}' }))).toBe(expected)
  })

  it('text that was escaped once, also where it is read through another variable', () => {
    expect(valueOf('${{project.A}}', project({ A: '$${{db.URL}}' }), DB)).toBe('${{db.URL}}')
  })

  it('a variable of an app that calls it URL, where the app is no database', () => {
    expect(valueOf('${{web.URL}}', app('web', { URL: 'mine' }))).toBe('mine')
  })

  it('what has the names that every object has', () => {
    expect(valueOf('${{web.constructor}}', app('web', {}))).toContain('does not have')
    expect(valueOf('${{web.__proto__}}', app('web', Object.fromEntries([['__proto__', 'own']])))).toBe('own')
  })
})

describe('what cannot be resolved is named', () => {
  it.each([
    ['${{gone.URL}}', '${{gone.URL}} names an app that this project does not have'],
    ['${{api.MISSING}}', '${{api.MISSING}} names a variable that the app "api" does not have'],
    ['${{project.MISSING}}', '${{project.MISSING}} names a variable that the project does not have'],
    ['${{web.URL}}', '${{web.URL}}: only a database has a URL; use INTERNAL_URL or PUBLIC_URL'],
    ['${{web.PORT}}', '${{web.PORT}}: the app has no port'],
    ['${{web.INTERNAL_URL}}', '${{web.INTERNAL_URL}}: the app has no port'],
    ['${{web.PUBLIC_URL}}', '${{web.PUBLIC_URL}}: the app has no domain'],
    ['${{db}}', '${{db}} is not a reference: write ${{app.VARIABLE}}, or $${{ for the literal text'],
    ['${{a\u001b[31m\nb}}', '${{a [31m b}} is not a reference: write ${{app.VARIABLE}}, or $${{ for the literal text'],
    ['${{web.ROUND}}', '${{web.ROUND}} → ${{web.TRIP}} → ${{web.ROUND}} is a circular reference'],
    ['${{web.SELF}}', '${{web.SELF}} → ${{web.SELF}} is a circular reference'],
    ['${{web.DEEP}}', '${{gone.X}} names an app that this project does not have'],
  ])('%s', (value, expected) => {
    const web = { ROUND: '${{web.TRIP}}', TRIP: 'a ${{web.ROUND}}', SELF: '${{web.SELF}}', DEEP: '${{api.DEEP}}' }
    const api = { ...Object.fromEntries(API[1].variables), DEEP: '${{gone.X}}' }
    const message = valueOf(value, DB, app('api', api), app('web', web, { port: null }), project({}))
    expect(message).toBe(`The variable X cannot be resolved: ${expected}.`)
  })

  it('and the other variables are still resolved', () => {
    const { env, problems } = resolve({ A: '${{gone.X}}', B: '${{db.HOST}}', C: 'c' }, DB)
    expect(env).toEqual({ B: 'db', C: 'c' })
    expect(problems.map(({ key }) => key)).toEqual(['A'])
  })

  it('without any part of the value around it', () => {
    expect(valueOf('postgres://me:hidden@${{gone.HOST}}')).not.toContain('hidden')
  })
})

it('a database URL does not depend on variables that it does not hold', () => {
  const db = database('db', { USER: 'u', PASSWORD: 'p', BACK: '${{web.DB}}', BROKEN: '${{gone.X}}' })
  expect(valueOf('${{web.DB}}', db, app('web', { DB: '${{db.URL}}' }))).toBe('db://u:p@db:5432')
})

it('a circle through a database URL is one', () => {
  const db = database('db', { USER: 'u', PASSWORD: '${{web.DB}}' })
  expect(valueOf('${{web.DB}}', db, app('web', { DB: '${{db.URL}}' }))).toContain('is a circular reference')
})

describe('however values grow', () => {
  /** Each holds the one before it `times` times. */
  function tower(steps: number, times: number, ground: string): Values {
    const floors = Array.from({ length: steps }, (_, n) => [`V${n + 1}`, `\${{me.V${n}}}`.repeat(times)] as const)
    return { V0: ground, ...Object.fromEntries(floors) }
  }

  it('they end at a limit instead of doubling at every step', () => {
    const values = tower(40, 2, 'x'.repeat(100))
    const { env, problems } = resolve(values, app('me', values))
    expect(Object.values(env).reduce((sum, value) => sum + value.length, 0)).toBeLessThan(1024 * 1024)
    expect(problems.at(-1)?.message).toContain('longer than an environment can be')
  })

  it('one value with thousands of large ones in it is never put together', () => {
    const message = valueOf('${{me.BIG}}'.repeat(5000), app('me', { BIG: 'x'.repeat(65_536) }))
    expect(message).toContain('longer than an environment can be')
  })

  it('a million empty values do not take long', () => {
    const values = tower(45, 900, '')
    expect(resolve({ TOP: '${{me.V45}}' }, app('me', values)).env).toEqual({ TOP: '' })
  })

  it('a chain may be long, and a very long one is refused', () => {
    const chain = (length: number) => tower(length, 1, 'end')
    expect(valueOf('${{me.V40}}', app('me', chain(40)))).toBe('end')
    expect(valueOf('${{me.V5000}}', app('me', chain(5000)))).toContain('leads through more than 50 references')
  })
})

describe('what fails many times', () => {
  const many = (value: string) => Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`W${n}`, value]))
  const padding = Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`V${n}`, 'x']))

  it('is resolved once, however many apps are involved', async () => {
    const apps = Array.from({ length: 49 }, (_, n) => app(`a${n}`, { ...padding, ...(n < 48 && { URL: `\${{a${n + 1}.URL}}` }) }))
    const spent = await cpuSeconds(() => expect(resolve(many('${{a0.URL}}'), ...apps).problems).toHaveLength(1000))
    expect(spent).toBeLessThan(0.5)
  })

  it('is not cached if only the path to it was too long, and ends at a limit', () => {
    const chain = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`V${n}`, n === 0 ? 'end' : `\${{me.V${n - 1}}}`]))
    const { problems } = resolve(many('${{me.V59}}'), app('me', chain))
    expect(problems[0]?.message).toContain('leads through more than 50 references')
    expect(problems.at(-1)?.message).toContain('more than 5000 references to follow')
    expect(resolve({ FAR: '${{me.V59}}', NEAR: '${{me.V40}}' }, app('me', chain)).env).toEqual({ NEAR: 'end' })
  })

  it('reads the variables of a database once for all its references', async () => {
    const db = database('db', { ...padding, USER: 'u', PASSWORD: '${{gone.X}}' })
    expect(await cpuSeconds(() => resolve(many('${{db.URL}}'), db))).toBeLessThan(0.5)
  })
})

describe('for any project', () => {
  const key = fc.constantFrom('A', 'B', 'C', 'URL', 'HOST')
  const slug = fc.constantFrom('one', 'two', 'project', 'gone')
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('$', '${{', '}}', '$${{', '${{x}}'),
    fc.tuple(slug, key).map(([source, name]) => `\${{${source}.${name}}}`),
  )
  const values = fc.dictionary(
    key,
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
  )

  it('every variable is resolved or has a problem, and nothing else happens', () => {
    fc.assert(
      fc.property(values, values, values, (own, other, shared) => {
        const { env, problems } = resolve(own, app('one', own), database('two', other), project(shared))
        expect([...Object.keys(env), ...problems.map((problem) => problem.key)].toSorted()).toEqual(Object.keys(own).toSorted())
      }),
      { numRuns: 500 },
    )
  })

  it('a value without the mark is left as it is', () => {
    const unmarked = fc.string().filter((value) => !value.includes('${{'))
    fc.assert(
      fc.property(unmarked, (value) => {
        expect(valueOf(value)).toBe(value)
      }),
    )
  })

  it('every text can be written', () => {
    const any = fc.array(piece).map((pieces) => pieces.join(''))
    const escaped = (value: string) => value.replaceAll('${{', () => '$${{')
    fc.assert(
      fc.property(any, (value) => {
        expect(valueOf(escaped(value))).toBe(value)
      }),
    )
  })
})

it('what values refer to is known before any of it is read', () => {
  const found = referencesIn(['${{a.X}} ${{b.Y}}', 'plain', '$${{c.Z}}', '${{project.P}}${{a.W}}${{a.X}}'])
  expect(found).toEqual(
    new Map([
      ['a', new Set(['X', 'W'])],
      ['b', new Set(['Y'])],
      ['project', new Set(['P'])],
    ]),
  )
})
