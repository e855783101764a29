import { expect, it } from 'vitest'
import { FORBIDDEN_COMPOSE } from './hostile-compose.ts'
import { hostileTexts, openCanary } from './hostile-corpus.ts'
import { liveThrough, openHostileLab } from './hostile-life.ts'

const AT_ONCE = 3

it('twenty hostile texts live through everything that an app can go through, and do nothing', async () => {
  await using canary = await openCanary()
  await using lab = await openHostileLab()
  const waiting = [...hostileTexts(canary)]
  const wrong: string[] = []
  const work = async () => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      const life = await liveThrough(lab, text, canary)
      const words = life.wrong.map((word) => `\n    WRONG ${word}`).join('')
      process.stdout.write(
        `${JSON.stringify(text.slice(0, 60))}: taken by ${life.taken.join(', ')}; refused by ${life.refused.length}${words}\n`,
      )
      wrong.push(...life.wrong.map((word) => `${JSON.stringify(text)}: ${word}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  expect(wrong).toEqual([])
  expect(await canary.findings()).toEqual([])
})

it('no compose file that asks for what no app may have is deployed, and each refusal names the key', async () => {
  await using lab = await openHostileLab()
  const waiting = [...FORBIDDEN_COMPOSE]
  const wrong: string[] = []
  const work = async () => {
    const app = await lab.createApp({ 'compose.yaml': '' }, { appType: 'compose' })
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [file, named] = next
      await app.repository.commit({ files: { 'compose.yaml': file } })
      const { status, error_message } = await lab.deploy(app.id)
      if (status !== 'failed' || !error_message.includes(named)) wrong.push(`${JSON.stringify(file)} is ${status}: ${error_message}`)
    }
    if ((await lab.containersOf(app.id)).length > 0) wrong.push('there is a container')
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  process.stdout.write(`${FORBIDDEN_COMPOSE.length} compose files refused, ${wrong.length} broken\n`)
  expect(wrong).toEqual([])
})
