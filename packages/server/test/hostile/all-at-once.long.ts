import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { resourcesOf } from '../../testing/harness/process-resources.ts'
import { type DeployLab, openDeployLab, webFiles } from '../../testing/labs/deploy-lab.ts'

const POLLER = path.resolve(import.meta.dirname, '../../testing/fixtures/poll-health.mjs')
const LAST_MS = 60_000

/** All the load that anonymous clients and members can cause at once, and what it costs the control plane. Prints the results. */
it('stays small and answers while everything comes at once', async () => {
  await using lab = await openDeployLab({ runs: 'as a process' })
  const { hostname, port } = new URL(lab.berth.baseUrl)
  const deploymentId = await bigLog(lab)
  const storm = await lab.createApp(webFiles('storm', ['RUN i=0; while [ $i -lt 3000 ]; do sleep 20 & i=$((i+1)); done; wait']))
  await using health = await startPolling(`${lab.berth.baseUrl}/health`)
  await using memory = watchMemory(lab.berth.pid())
  const atRest = await memory.look()
  const ending = AbortSignal.timeout(LAST_MS)
  const sockets: Socket[] = []
  const halfSent = (head: string, body: string) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n${body}`))
    socket.on('error', () => undefined)
    sockets.push(socket)
    return socket
  }
  const header = (to: string, length: number) =>
    `POST ${to} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: ${length}`
  for (let n = 0; n < 40; n += 1) halfSent(header('/api/webhooks/git', 24_000_000), 'x'.repeat(23_000_000))
  const slow = Array.from({ length: 150 }, () => halfSent(header('/api/auth/login', 1000), '{'))
  const dripping = (async () => {
    while (!ending.aborted) {
      for (const socket of slow) if (!socket.destroyed) socket.write(' ')
      await sleep(5000)
    }
  })()
  const person = await lab.berth.as('member')
  const project = await person.call('projects.create', { name: 'Member' })
  const settled: Promise<unknown>[] = [lab.add(storm.id)]
  for (let n = 0; n < 200; n += 1)
    settled.push(lab.berth.raw('POST', '/api/auth/login', { body: { email: `nobody-${n}@example.test`, password: 'a-wrong-password' } }))
  for (let n = 0; n < 150; n += 1)
    settled.push(person.call('apps.checkSource', { projectId: project.id, gitCloneUrl: `https://127.0.0.1:1/owner/${n}.git` }))
  for (let n = 0; n < 20; n += 1) settled.push(followAndForget(lab, deploymentId), readAndForget(lab, deploymentId))
  await Promise.allSettled(settled)
  await dripping
  for (const socket of sockets) socket.destroy()
  const { times, failed } = await health.end()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  const figures = { answers: times.length, failed, p50: at(0.5), p99: at(0.99), max: at(1), atRestMb: atRest, mostMb: memory.most() }
  process.stdout.write(`all at once: ${JSON.stringify(figures)}\n`)
  expect(failed).toBe(0)
  expect(figures.mostMb).toBeLessThan(250)
})

/** Reads as fast as possible and keeps nothing, because the memory of the test itself is not measured. */
async function followAndForget(lab: DeployLab, deploymentId: number): Promise<void> {
  const url = `${lab.berth.baseUrl.replace('http', 'ws')}/ws/deployment/logs?deploymentId=${deploymentId}`
  const socket = new WebSocket(url, { headers: { cookie: lab.owner.cookie } })
  socket.on('message', () => undefined)
  await once(socket, 'close')
}

async function readAndForget(lab: DeployLab, deploymentId: number): Promise<void> {
  const answer = await fetch(`${lab.berth.baseUrl}/api/deployment/logs/${deploymentId}`, { headers: { cookie: lab.owner.cookie } })
  for await (const _chunk of answer.body ?? []);
}

/** A finished deployment whose log is 20 MB of the shortest lines. */
async function bigLog(lab: DeployLab): Promise<number> {
  const app = await lab.createApp(webFiles('quiet'))
  const { id } = await lab.deploy(app.id)
  await writeFile(path.join(lab.berth.dataDir, 'logs', `d${id}.log`), `${' x\n'.repeat(6_900_000)}#Deployed successfully\n`)
  return id
}

async function startPolling(url: string) {
  const child = spawn(process.execPath, [POLLER, url, '50'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  async function end(): Promise<{ times: number[]; failed: number }> {
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
    return JSON.parse(text) as { times: number[]; failed: number } // written by the fixture
  }
  return { end, [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') }
}

function watchMemory(pid: number) {
  let most = 0
  const look = async () => {
    const now = Math.round((await resourcesOf(pid)).memoryMb)
    most = Math.max(most, now)
    return now
  }
  const timer = setInterval(() => void look().catch(() => undefined), 100)
  return { look, most: () => most, [Symbol.asyncDispose]: async () => clearInterval(timer) }
}
