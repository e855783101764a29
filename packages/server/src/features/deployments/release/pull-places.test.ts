import { expect, it, vi } from 'vitest'
import { createPullPlaces } from './pull-places.ts'

const [ADA, EVE] = [1, 2]
const OWNERS = new Map([
  [10, EVE],
  [11, EVE],
  [20, ADA],
])

it('one person has two pulls at a time, in all projects together, and another one always gets a place', async () => {
  const inPlace = createPullPlaces({ ownerOf: async (projectId) => OWNERS.get(projectId) })
  const said: string[] = []
  const begun: string[] = []
  const cancel = new AbortController()
  const waiting = { signal: cancel.signal, active: () => undefined, say: (line: string) => void said.push(line) }
  const pull = (name: string, projectId: number) => {
    const last = async () => {
      begun.push(name)
      await new Promise((_, reject) => cancel.signal.addEventListener('abort', () => reject(new Error('cancelled'))))
    }
    return inPlace(projectId, waiting, last).catch(() => undefined)
  }
  const all = [pull('eve1', 10), pull('eve2', 11), pull('eve3', 10), pull('ada1', 20)]
  await vi.waitFor(() => expect(said).toEqual(['Waiting until another image of the same owner is pulled']), { timeout: 5000 })
  expect(begun).toEqual(['eve1', 'eve2', 'ada1'])
  cancel.abort()
  await Promise.all(all)
  expect(begun).toHaveLength(3)
})
