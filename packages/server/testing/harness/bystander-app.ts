import { setTimeout as sleep } from 'node:timers/promises'
import { type DeployLab, webFiles } from '../labs/deploy-lab.ts'

const PAUSE_MS = 50
const PATIENCE_MS = 10_000

/** An app that is not changed while others are deployed and the server dies: it must answer every visitor (I10). */
export async function openNeighbour(lab: DeployLab) {
  const app = await lab.createApp(webFiles('neighbour'))
  const { status } = await lab.deploy(app.id)
  const [container] = await lab.containersOf(app.id)
  const ip = Object.values(container?.ips ?? {})[0]
  if (status !== 'success' || ip === undefined) throw new Error(`the neighbour was not deployed: ${status}`)
  const failures: string[] = []
  let [visits, isOver] = [0, false]

  async function visit(): Promise<void> {
    const text = await fetch(`http://${ip}:8080/`, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
      async (answer) => await answer.text(),
      (cause: unknown) => String(cause),
    )
    visits += 1
    if (text !== 'neighbour') failures.push(`I10: a visitor of the neighbour got ${text}`)
  }

  const visiting = (async () => {
    while (!isOver) {
      await visit()
      await sleep(PAUSE_MS)
    }
  })()

  return {
    appId: app.id,
    failures,
    visits: () => visits,
    async stop(): Promise<void> {
      isOver = true
      await visiting
    },
  }
}

export type Neighbour = Awaited<ReturnType<typeof openNeighbour>>
