import { parseEnvFile } from '../../src/engine/compose/env-file.ts'
import { type ComposeSettings, planCompose } from '../../src/engine/compose/policy.ts'
import { type RepoEntry, withRepository } from '../../src/engine/compose/repository.ts'
import { refusePlan } from '../../src/features/deployments/release/compose/refuse-not-allowed.ts'
import { type CostlyText, KIB, listed, repeated } from './costly-text.ts'

const plain: ComposeSettings = { env: {}, volumePrefix: 'p', port: null, reservedPorts: [], newImageName: () => '' }
const read = (text: string) => planCompose(text, plain)

/** With these files in the repository. */
const readWith = (files: Readonly<Record<string, string>>) => (text: string) =>
  planCompose(text, {
    ...plain,
    lookUp: (path) => (path in files ? { kind: 'file', mode: 0o644, blob: '', text: files[path] ?? '' } : { kind: 'missing' }),
  })

const OWNER = { instance: 'i', projectId: 1, appId: 1, deploymentId: 1 }

const fileOf = (text: string | undefined): RepoEntry =>
  text === undefined ? { kind: 'missing' } : { kind: 'file', mode: 0o644, blob: '', text }
const longFile = (keys: number, other: string | undefined, more = 'volumes: {}') =>
  `${other === undefined ? '' : including(other, 1)}${more}\nx-a: { ${listed(keys, (n) => `k${n}: v`)} }\n`

const including = (name: string, times = 200) => `include: [${listed(times, () => name)}]\n`
const services = (count: number, rest: string) =>
  `services:\n${Array.from({ length: count }, (_, n) => `  s${n}: { image: x, ${rest} }\n`).join('')}`
const ENV = repeated('A=\n', 40 * KIB).replaceAll(/A/g, (_, at: number) => `A${at}`)

/** LIST of compose files, and the files that they name, that are costly for what they say. */
export const COSTLY_COMPOSE: readonly CostlyText[] = [
  { name: 'a mistake in every other character', text: () => `a: "${repeated('\\q', 240 * KIB)}"`, read, says: 'Invalid escape sequence' },
  { name: 'a list of commas', text: () => `[${repeated(',', 50_000)}]`, read, says: 'Unexpected , in flow' },
  { name: 'one value with many tags', text: () => `- ${repeated('!a ', 60_000)}`, read, says: 'at most one tag' },
  { name: 'one value with many anchors', text: () => repeated('&a ', 60_000), read, says: 'at most one anchor' },
  { name: 'lists in lists', text: () => repeated('[', 50_000), read, says: 'nested too deeply' },
  { name: 'items in items', text: () => repeated('- ', 58_000), read, says: 'cannot be read' },
  { name: 'tokens', text: () => repeated('a: b\n', 256 * KIB), read, says: 'tokens' },
  { name: 'blanks', text: () => `a: "${repeated(' \n', 250 * KIB)}"`, read },
  {
    name: 'aliases of many anchors',
    text: () => `${Array.from({ length: 49 }, (_, n) => `a${n}: &a${n} x\n`).join('')}l: [${listed(9700, (n) => `*a${n % 49}`)}]`,
    read,
    says: 'more than 500 aliases',
  },
  { name: 'the name of an alias', text: () => `a: *${repeated('x', 250 * KIB)}`, read, says: 'refers to itself or to nothing' },
  { name: 'merges of one anchor', text: () => `a: &a {}\nb:\n${repeated('  <<: *a\n', 60_000)}`, read, says: 'more than 500 aliases' },
  {
    name: 'files that include each other many times',
    text: () => `${including('b')}${services(1, '')}`,
    read: readWith({ b: including('c'), c: including('d'), d: including('e'), e: 'volumes: { a: {} }' }),
    says: 'includes more than 50 files',
  },
  {
    name: 'services that all extend a long one',
    text: () =>
      `services:\n  big: { ${listed(7000, (n) => `x-${n}: 1`)} }\n${Array.from({ length: 29 }, (_, n) => `  s${n}: { extends: big }\n`).join('')}`,
    read,
    says: 'extend each other',
  },
  {
    name: 'long files that include each other in turn',
    text: () => longFile(6500, 'b', 'services: { a: { image: x } }'),
    read: async (text) => {
      const files = new Map(['b', 'c', 'd', 'e', 'f'].map((name, n) => [name, longFile(2400, 'cdef'[n])]))
      const read = async (path: string) => fileOf(files.get(path))
      await withRepository((access) => planCompose(text, { ...plain, ...access }), read)
    },
  },
  {
    name: 'more services than can run, which extend a long one',
    text: () =>
      `services:\n  big: { ${listed(3000, (n) => `x-${n}: 1`)} }\n${Array.from({ length: 1500 }, (_, n) => `  s${n}: { extends: big }\n`).join('')}`,
    read,
    says: 'more than 30 entries',
  },
  {
    name: 'an env file that every service names many times',
    text: () => services(30, `env_file: [${listed(20, () => 'e')}]`),
    read: readWith({ e: ENV }),
    says: 'more than 100,000 variables',
  },
  {
    name: 'missing env files, with a long .env',
    text: () => services(30, `env_file: [${listed(20, () => 'missing')}]`),
    read: readWith({ '.env': ENV }),
    says: 'more than 100,000 variables',
  },
  {
    name: 'hosts',
    text: () => services(1, `extra_hosts: [${listed(15_000, (n) => `"a${n}:1.1.1.1"`)}]`),
    read,
    says: 'more than 200 entries',
  },
  {
    name: 'ranges of ports',
    text: () => services(30, `ports: [${listed(200, (n) => `"${1000 + n * 100}-${1099 + n * 100}"`)}]`),
    read,
    says: 'ports',
  },
  {
    name: 'thousands of reasons',
    text: () => services(30, `volumes: [${listed(190, () => '/x:/y')}], ports: [${listed(190, () => 'x')}]`),
    read,
    says: 'reasons',
  },
  {
    name: 'variables in variables',
    text: () => services(1, `command: "${'${A:-'.repeat(10)}${repeated('${A:-x}', 200 * KIB)}${'}'.repeat(10)}"`),
    read,
  },
  {
    name: 'missing variables',
    text: () => services(1, `command: "${Array.from({ length: 24_000 }, (_, n) => `\${A${n}?}`).join('')}"`),
    read,
    says: 'is needed',
  },
  {
    name: 'a long config that every service mounts many times',
    text: () =>
      `configs: { c: { content: "${repeated('x', 150 * KIB)}" } }\n${services(29, `configs: [${listed(190, () => 'c')}]`)}  web: { image: x, expose: [3000] }`,
    read: (text) => refusePlan(OWNER, planCompose(text, { ...plain, port: 3000 }), new Map()),
    says: 'more than 20 MiB or 5000 files',
  },
  {
    name: 'a long variable of every service',
    text: () => services(30, 'environment: [A]'),
    read: (text) => refusePlan(OWNER, planCompose(text, { ...plain, env: { A: repeated('"', 1000 * KIB) } }), new Map()),
    says: 'longer than 4 MiB',
  },
  { name: 'an env file of lines', text: () => repeated('A=1\n', 170 * KIB), read: (text) => parseEnvFile(text, {}) },
  {
    name: 'an env file whose variables double',
    text: () => `A=x\n${repeated('A=${A}${A}\n', 200 * KIB)}`,
    read: (text) => parseEnvFile(text, {}),
    says: 'longer than 1 MiB',
  },
  { name: 'an env file that is one quoted text', text: () => `A="${repeated('\\n', 1000 * KIB)}`, read: (text) => parseEnvFile(text, {}) },
  { name: 'an env file of number signs', text: () => `A=${repeated('#', 1000 * KIB)}`, read: (text) => parseEnvFile(text, {}) },
]
