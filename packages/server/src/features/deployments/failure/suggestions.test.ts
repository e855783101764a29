import { expect, it } from 'vitest'
import { type FailureFacts, factsIn, storedFacts } from './facts.ts'
import { fixesFor } from './suggestions.ts'

const app = { port: 3000, dockerfile_path: null }
const titles = (facts: FailureFacts | undefined, now: Parameters<typeof fixesFor>[1] = app) =>
  fixesFor(facts, now).map(({ title }) => title)

it.each<[FailureFacts, string[]]>([
  [{ kind: 'other_ports', ports: [8081, 9000] }, ['Set the port to 8081 and deploy', 'Set the port to 9000 and deploy']],
  [{ kind: 'no_dockerfile', found: ['services/api/Dockerfile'] }, ['Use services/api/Dockerfile and deploy']],
  [{ kind: 'no_variable', name: 'DATABASE_URL' }, ['Add DATABASE_URL']],
  [{ kind: 'full_disk' }, ['Free disk space and deploy', 'Retry']],
  [{ kind: 'passing' }, ['Retry']],
])('$kind', (facts, expected) => {
  expect(titles(factsIn(storedFacts(facts)))).toEqual(expected)
})

it('nothing is suggested if nothing is known, or if it is already so', () => {
  expect(factsIn(storedFacts(undefined))).toBeUndefined()
  expect(titles(undefined)).toEqual([])
  expect(titles({ kind: 'other_ports', ports: [8081] }, { ...app, port: 8081 })).toEqual([])
  expect(titles({ kind: 'no_dockerfile', found: ['a/Dockerfile'] }, { ...app, dockerfile_path: 'a/Dockerfile' })).toEqual([])
})

it('a variable is added on its page, with its name filled in', () => {
  expect(fixesFor({ kind: 'no_variable', name: 'A_B' }, app)).toMatchObject([{ link: 'environment?add=A_B', effect: 'opens a page' }])
})
