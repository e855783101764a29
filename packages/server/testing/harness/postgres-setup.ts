import type { TestProject } from 'vitest/node'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { startPostgres } from './postgres-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a database that tests copy; undefined where the tests run on SQLite. */
    postgres: { template: string; admin: string; prefix: string } | undefined
  }
}

let cluster: Awaited<ReturnType<typeof startPostgres>> | undefined

/** One server for all test files on PostgreSQL, with a migrated database that each test copies. */
export async function setup(project: TestProject): Promise<void> {
  cluster = await startPostgres()
  await cluster.tell('create database migrated')
  const database = await openPostgres({ url: cluster.url('migrated'), now: () => new Date(), onCommit: () => undefined })
  await database.close()
  project.provide('postgres', { template: 'migrated', admin: cluster.url('postgres'), prefix: cluster.url('NAME') })
}

export async function teardown(): Promise<void> {
  await cluster?.[Symbol.asyncDispose]()
}
