import { parentPort } from 'node:worker_threads'
import { COSTLY_TEXTS } from './costly-texts.ts'

/** What reading a text cost, and what it said. */
export type Cost = { readonly seconds: number; readonly said: string }

parentPort?.on('message', (name: string) => void measure(name))

async function measure(name: string): Promise<void> {
  const { text, read } = COSTLY_TEXTS.find((each) => each.name === name) ?? { text: () => '', read: () => undefined }
  const given = text()
  const before = process.threadCpuUsage()
  let said = ''
  try {
    await read(given)
  } catch (cause) {
    said = cause instanceof Error ? cause.message : String(cause)
  }
  const { user, system } = process.threadCpuUsage(before)
  parentPort?.postMessage({ seconds: (user + system) / 1e6, said } satisfies Cost)
}
