import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { DomainRow } from '../../domain/rows.ts'
import { readSettings } from '../settings/store.ts'
import { createDomains } from './service.ts'

it('two checks of a person run at once and eight of all, a few wait, and the rest are refused with a message', async () => {
  await using test = await openTestDatabase()
  let running = 0
  const isOver = Promise.withResolvers<void>()
  const checkNow = async () => {
    running += 1
    await isOver.promise
  }
  const nothing = async () => undefined
  const certificates = { checkNow, useOwn: nothing, dropOwn: nothing }
  const shared = { db: test.db, now: () => new Date(), readSettings, readBase: async () => undefined, onChanged: () => undefined }
  const domains = createDomains({ ...shared, ownRecords: async () => [], edgePorts: { httpPort: 80, httpsPort: 443 }, certificates })
  const gone = { id: 1 } as DomainRow // a check of a domain that has gone by its end needs no more of it
  const ask = (id: number) => domains.checkNow({ id }, gone).catch((cause: unknown) => cause)

  const refused: unknown[] = []
  const asked = Array.from({ length: 50 }, () => ask(1).then((end) => refused.push(end)))
  await expect.poll(() => refused.length, { timeout: 30_000 }).toBe(40)
  expect(running).toBe(2)
  const sentence = 'Too many domains are being checked. Try again in a few seconds.'
  for (const each of refused) expect(each).toMatchObject({ code: 'server_busy', message: sentence })

  const others = [2, 3, 4, 5].flatMap((id) => [ask(id), ask(id), ask(id)])
  await expect.poll(() => running, { timeout: 30_000 }).toBe(8)
  isOver.resolve()
  await Promise.all([...asked, ...others])
  expect(running).toBe(10 + 12)
})
