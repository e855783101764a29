import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../../testing/harness/git-server.ts'
import { createGit } from './git.ts'
import { moduleUrlsIn } from './gitlinks.ts'
import { relatedSource } from './related-source.ts'
import { createSourcePolicy } from './source-policy.ts'

let server: GitServer
let directory = ''
beforeAll(async () => {
  server = await startGitServer()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-submodules-'))
})
afterEach(async () => await rm(directory, { recursive: true, force: true }))

type Repository = Awaited<ReturnType<GitServer['createRepository']>>

/** Commits gitlinks, which git only writes for repositories that are there. */
async function withLinks(repository: Repository, links: Readonly<Record<string, string>>): Promise<string> {
  await repository.git(['read-tree', 'main'])
  for (const [name, hash] of Object.entries(links)) await repository.git(['update-index', '--add', '--cacheinfo', `160000,${hash},${name}`])
  const tree = (await repository.git(['write-tree'])).trim()
  const commit = (await repository.git(['commit-tree', tree, '-p', 'main', '-m', 'Links'])).trim()
  await repository.git(['update-ref', 'refs/heads/main', commit])
  return commit
}

const moduleText = (name: string, url: string) => `[submodule "${name}"]\n\tpath = ${name}\n\turl = ${url}\n`

async function repositoryWith(modules: Readonly<Record<string, { url: string; hash: string }>>) {
  const text = Object.entries(modules).map(([name, { url }]) => moduleText(name, url))
  const repository = await server.createRepository({ files: { 'own.txt': 'own', '.gitmodules': text.join('') } })
  const links = Object.fromEntries(Object.entries(modules).map(([name, { hash }]) => [name, hash]))
  return { url: repository.url, hash: await withLinks(repository, links) }
}

type Checkout = { url: string; hash: string; privileged?: boolean; submodules?: boolean }

async function checkout({ submodules: isOn = true, ...source }: Checkout, { maxBytes = 10_000_000, maxFiles = 1000 } = {}) {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2000 })
  const git = createGit({ policy, scratch: path.join(directory, 'scratch'), path: PROGRAM_PATH, limits: { maxBytes, maxFiles } })
  const fetched: string[] = []
  const into = path.join(directory, 'workspace')
  const { submodules } = await git.checkout({
    privileged: true,
    ...source,
    branch: 'main',
    into,
    ...(isOn && { onSubmodule: (name: string) => fetched.push(name) }),
  })
  return { fetched, submodules, text: async (name: string) => await readFile(path.join(into, name), 'utf8').catch(() => null) }
}

it('submodules are fetched with theirs, by relative and whole addresses, at the commits that the repository names', async () => {
  const deep = await server.createRepository({ files: { 'deep.txt': 'deep' } })
  const inner = await repositoryWith({ deep: { url: `../${deep.name}.git`, hash: deep.hash } })
  const plain = await server.createRepository({ files: { 'a.txt': 'then' } })
  await plain.commit({ files: { 'a.txt': 'now' } })
  const top = await repositoryWith({ 'lib/inner': inner, plain: { url: plain.url, hash: plain.hash } })
  const { fetched, submodules, text } = await checkout(top)
  expect(submodules.map((each) => each.path)).toEqual(fetched)
  expect(submodules.map(({ source }) => source.url)).toEqual([inner.url, deep.url, plain.url])
  expect(fetched.toSorted()).toEqual(['lib/inner', 'lib/inner/deep', 'plain'])
  expect([await text('own.txt'), await text('lib/inner/deep/deep.txt'), await text('plain/a.txt')]).toEqual(['own', 'deep', 'then'])
  expect(await text('plain/.git/config')).toBeNull()
})

it('one that is too large, not there, without an address or endless fails, and says which', async () => {
  const large = await server.createRepository({ files: { 'a.bin': Buffer.alloc(300_000, 'x') } })
  const withLarge = await repositoryWith({ big: large })
  await expect(checkout(withLarge, { maxBytes: 200_000 })).rejects.toThrow(/The submodule "big" could not be fetched.*larger|too large/i)
  const gone = await repositoryWith({ gone: { url: `${server.origin}/gone.git`, hash: large.hash } })
  await expect(checkout(gone)).rejects.toThrow('The submodule "gone" could not be fetched.')
  const unnamed = await server.createRepository({ files: { a: 'a' } })
  const nameless = { url: unnamed.url, hash: await withLinks(unnamed, { x: large.hash }) }
  await expect(checkout(nameless)).rejects.toThrow('The submodule "x" has no URL in .gitmodules')
  let chain: { url: string; hash: string } = await server.createRepository({ files: { a: 'end' } })
  for (let depth = 0; depth < 6; depth += 1) chain = await repositoryWith({ next: chain })
  await expect(checkout(chain)).rejects.toThrow('nested more than 5 deep')
})

it('the files and bytes of all submodules count together, and the message names the whole limit', async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.txt`, `${index}`]))
  const many = await server.createRepository({ files })
  const large = await server.createRepository({ files: { 'a.bin': randomBytes(600_000) } })
  const twice = await repositoryWith({ one: many, two: many })
  await expect(checkout(twice, { maxFiles: 500 })).rejects.toThrow(/^The submodule "two" could not be fetched\. .*more than 500 files/)
  expect((await checkout(twice)).fetched).toEqual(['one', 'two'])
  const heavy = await repositoryWith({ one: large, two: large })
  await expect(checkout(heavy, { maxBytes: 2 ** 20 })).rejects.toThrow(/^The submodule "two" could not be fetched\. .*more than 1 MiB/)
})

it('a .gitmodules that is not valid fails as such, and one without URLs names the submodule', async () => {
  const plain = await server.createRepository({ files: { a: 'a' } })
  const withModules = async (text: string) => {
    const repository = await server.createRepository({ files: { '.gitmodules': text } })
    return { url: repository.url, hash: await withLinks(repository, { lib: plain.hash }) }
  }
  const broken = await withModules('[submodule "lib"\n')
  for (const submodules of [true, false])
    await expect(checkout({ ...broken, submodules })).rejects.toThrow('The file .gitmodules of the repository is not valid.')
  await expect(checkout(await withModules('[other]\n\tpath = lib\n'))).rejects.toThrow('The submodule "lib" has no URL in .gitmodules')
})

it('an address of this machine, a private one at another host, and files are refused to whatever a repository names', async () => {
  const other = await server.createRepository({ files: { a: 'a' } })
  const elsewhere = await startGitServer()
  const hidden = await elsewhere.createRepository({ files: { secret: 'x' } })
  await expect(checkout(await repositoryWith({ m: hidden }))).rejects.toThrow(/"m" could not be fetched.*private address/)
  expect(elsewhere.requests).toEqual([])
  await elsewhere[Symbol.asyncDispose]()
  for (const url of [`file://${other.directory}`, other.directory, '--upload-pack=x', 'ext::sh -c x'])
    await expect(checkout(await repositoryWith({ m: { url, hash: other.hash } }))).rejects.toThrow(/which is not supported/)
})

it('the credential, the key and the rights of the clone URL only go to its own host', () => {
  const credential = { host: 'h.test', port: 443, username: 'u', password: 'p', whenRefused: '' }
  const parent = { url: 'https://h.test/a/b.git', privileged: true, credential }
  expect(relatedSource(parent, '../c.git')).toEqual({ ...parent, url: 'https://h.test/a/c.git' })
  expect(relatedSource(parent, 'git@h.test:x/y.git')).toEqual({ ...parent, url: 'https://h.test/x/y.git' })
  for (const text of ['https://other.test/a/b.git', 'https://h.test:8443/a/b.git', 'http://h.test/a/b.git', 'git@other.test:a/b.git'])
    expect(relatedSource(parent, text)).toMatchObject({ privileged: false })
  expect(Object.keys(relatedSource(parent, 'https://other.test/a/b.git') ?? {})).toEqual(['url', 'privileged'])
  for (const text of ['../../../x', 'file:///etc', '/etc', 'https://u:p@h.test/x']) expect(relatedSource(parent, text)).toBeNull()
  expect(relatedSource({ url: 'file:///srv/a.git', privileged: true }, '../b.git')).toBeNull()
})

it('the last path and URL of each name count', () => {
  const text = 'submodule.a.b.path\nlib/a\u0000submodule.a.b.url\nhttps://x\u0000submodule.c.path\nlib/c\u0000nothing\u0000'
  expect([...moduleUrlsIn(text)]).toEqual([['lib/a', 'https://x']])
})
