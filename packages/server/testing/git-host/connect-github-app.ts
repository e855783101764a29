import type { Person, TestServer } from '../harness/start-test-server.ts'
import { browse } from './browse.ts'
import type { HostApp } from './model.ts'
import type { GitHostServer } from './start-git-host.ts'

type Wanted = { projectId?: number; organization?: string }

/** The whole way of a person who creates a GitHub App and installs it on what is chosen at the host; gives where the browser ends. */
export async function connectGitHubApp(
  { host, berth, person }: { host: GitHostServer; berth: Pick<TestServer, 'raw'>; person: Person },
  wanted: Wanted = {},
): Promise<{ app: HostApp; end: string }> {
  const { action, manifest } = await person.call('git.githubManifest', { baseUrl: host.origin, ...wanted })
  const created = await browse(host, action, { manifest })
  const install = await back(berth, person, created)
  const installed = await browse(host, install)
  const app = host.model.apps.at(-1)
  if (!app) throw new Error('the host made no app')
  return { app, end: await back(berth, person, installed) }
}

/** A return of the browser to this server, with the cookie of the person. */
export async function back(berth: Pick<TestServer, 'raw'>, { cookie }: Pick<Person, 'cookie'>, url: URL): Promise<string> {
  const answer = await berth.raw('GET', `${url.pathname}${url.search}`, { cookie })
  if (answer.status !== 303) throw new Error(`answered ${answer.status}: ${answer.text}`)
  return String(answer.headers.location)
}
