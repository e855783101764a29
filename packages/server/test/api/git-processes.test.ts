import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@berth/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitServer, startGitServer } from '../../testing/harness/git-server.ts'
import { resourcesOf } from '../../testing/harness/process-resources.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

let berth: TestServer
let git: GitServer
let gitCloneUrl: string
beforeAll(async () => {
  git = await startGitServer()
  gitCloneUrl = (await git.createRepository({ files: { Dockerfile: 'FROM x' } })).url
  berth = await startTestServer({ runs: 'as a process', tuning: { resolveAtAddMs: 5000 } })
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await git[Symbol.asyncDispose]()
})

const MIB = 1024 ** 2

/** The memory limits of all child processes of a process, added up. */
async function allowedBelow(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const each = children.split(' ').filter((text) => text !== '')
  const allowed = each.map(async (child) => {
    const limits = await readFile(`/proc/${child}/limits`, 'utf8').catch(() => '') // it may just have ended
    const bytes = /^Max data size +(\d+)/m.exec(limits)?.[1] ?? '0' // or not have executed git yet
    return Number(bytes) + (await allowedBelow(Number(child)))
  })
  return (await Promise.all(allowed)).reduce((sum, bytes) => sum + bytes, 0)
}

/** The maximum number of git processes of the server during the work, and the maximum memory of them and their children. */
async function mostProcesses(work: Promise<unknown>): Promise<{ most: number; memory: number }> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  let [most, memory] = [0, 0]
  while (!isDone) {
    most = Math.max(most, (await resourcesOf(berth.pid())).children)
    memory = Math.max(memory, await allowedBelow(berth.pid() ?? 0))
    await sleep(10)
  }
  await ended
  return { most, memory }
}

it('150 source checks of six people run few git processes at once, and refused callers get an error', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const people = await Promise.all(names.map(async (name) => await berth.as(`checker-${name}`, 'admin')))
  let refused = 0
  const check = async ({ id, call }: Person, projectId: number) => {
    const input = { projectId, gitCloneUrl }
    const ask = async () => (id % 2 === 0 ? await call('apps.checkSource', input) : await call('apps.checkSourceFiles', input))
    const words = JSON.stringify(await ask().catch((cause: unknown) => cause instanceof ApiError && cause.code))
    if (/too_many_source_checks|checking other sources/.test(words)) refused += 1
    if (refused === 100) git.setMode({ kind: 'normal' })
  }
  git.setMode({ kind: 'stall' })
  const work = people.map(async (person) => {
    const { id } = await person.call('projects.create', { name: 'Checks' })
    await Promise.all(Array.from({ length: 25 }, async () => await check(person, id)))
  })
  const { most, memory } = await mostProcesses(Promise.all(work))
  git.setMode({ kind: 'normal' })
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(4)
  expect(memory).toBeGreaterThan(0)
  expect(memory).toBeLessThanOrEqual(4 * 4 * 128 * MIB) // a fetch is four processes for a moment
  expect(refused).toBeGreaterThan(0)
  expect((await berth.raw('GET', '/health')).status).toBe(200)
}, 120_000)

it('100 deployments requested at once run few git processes, and all are queued', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Many' })
  const apps = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => await owner.call('apps.create', { projectId, name: `app ${n}`, gitCloneUrl })),
  )
  git.setMode({ kind: 'stall' })
  const added: string[] = []
  const { most } = await mostProcesses(
    Promise.all(apps.map(async ({ id }) => added.push((await owner.call('deployments.add', { appId: id })).status))),
  )
  git.setMode({ kind: 'normal' })
  expect(added).toEqual(Array.from({ length: 100 }, () => 'pending'))
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(2)
  const again = await owner.call('deployments.add', { appId: apps[0]?.id ?? 0 })
  expect(again.commit_hash).not.toBe('')
}, 120_000)
