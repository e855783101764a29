import { describe, expect, it } from 'vitest'
import type { Operation, Policy } from './operation.ts'
import { operations } from './operations.ts'
import { sockets } from './sockets.ts'

const LINES = Object.entries<Operation>(operations)

/** The input field by which a policy finds the thing; a line without it would let nobody in. */
const NEEDS: Partial<Record<Policy, readonly string[]>> = {
  'member of the project': ['projectId', 'id'],
  'owner of the project': ['projectId', 'id'],
  'member but not owner of the project': ['projectId', 'id'],
  'member of the app': ['appId'],
  'owner of the app': ['appId'],
  'steward of the app': ['appId'],
  'member of the env variable': ['id'],
  'member of the domain': ['id'],
  'member of the deployment': ['deploymentId', 'id'],
  'member of the container': ['containerId'],
}

describe('the operations', () => {
  it('have each their own method and address', () => {
    const addresses = LINES.map(([, { method, path }]) => `${method} ${path}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it.each(LINES)('%s names the parameters of its address, and no field in two places', (_name, line) => {
    const inPath = [...line.path.matchAll(/:([A-Za-z]+)/g)].map(([, field]) => field)
    expect(Object.keys(line.params?.properties ?? {})).toEqual(inPath)
    const fields = [line.params, line.query, line.body].flatMap((schema) => Object.keys(schema?.properties ?? {}))
    expect(new Set(fields).size).toBe(fields.length)
    expect(line.method === 'GET' && line.body !== undefined).toBe(false)
  })

  it.each([...LINES, ...Object.entries<Pick<Operation, 'may' | 'params' | 'query' | 'body'>>(sockets)])(
    '%s requires the id that its policy looks at',
    (_name, line) => {
      const needed = NEEDS[line.may]
      if (needed === undefined) return
      const required = [line.params, line.query, line.body].flatMap((schema): string[] => [...(schema?.required ?? [])])
      expect(needed.filter((field) => required.includes(field))).toHaveLength(needed.length === 0 ? 0 : 1)
    },
  )

  it.each(LINES)('%s says what each field expects', (_name, line) => {
    for (const schema of [line.params, line.query, line.body])
      for (const [field, property] of Object.entries(schema?.properties ?? {}))
        expect([field, 'expects' in property]).toEqual([field, true])
  })
})
