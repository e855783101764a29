import { operations } from '@berth/contract'
import { checkUpload } from '../../src/edge/certificates/check.ts'
import { jsonOf } from '../../src/features/webhooks/delivery.ts'
import { newComparisons, whyNotDeployed } from '../../src/features/webhooks/judge.ts'
import { readPush } from '../../src/features/webhooks/read-push.ts'
import { parseCloneUrl } from '../../src/git/clone-url.ts'
import { isBranchName } from '../../src/git/ref.ts'
import { createRefReader } from '../../src/git/refs.ts'
import { parseRepoPath } from '../../src/git/repo-path.ts'
import { createTreeCheck, DEFAULT_LIMITS } from '../../src/git/tree-size.ts'
import { createGitHub } from '../../src/git-hosts/github.ts'
import { readSession } from '../../src/http/authenticate.ts'
import { createReadInput } from '../../src/http/input.ts'
import { createMissingRoute } from '../../src/http/not-found.ts'
import { jsonIn } from '../../src/http/read-body.ts'
import { isAmbiguousPath } from '../../src/http/security.ts'
import { strayCookies } from '../../src/http/stray-cookies.ts'
import { parseForeignJson } from '../../src/lib/foreign-json.ts'
import { hostProblem } from '../../src/lib/host-name.ts'
import { slugOf } from '../../src/lib/slug.ts'
import { type CostlyText, KIB, listed, repeated } from './costly-text.ts'

const MIB = KIB * KIB
const DELIVERY = 25 * MIB - 100
const HASH = 'a'.repeat(40)
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A delivery to the end of its parsing. */
const received = (text: string, headers = {}) => {
  const { body, problem } = jsonOf({ headers, body: Buffer.from(text, 'latin1') })
  if (problem !== '') throw new Error(problem)
  return readPush('github', body)
}
const push = (commits: string) =>
  `{"ref":"refs/heads/main","before":"${HASH}","after":"${HASH}","repository":{"id":1,"full_name":"a/b"},"commits":[${commits}]}`
const commit = (paths: string) => `{"id":"${HASH}","added":[${paths}],"removed":[],"modified":[]}`

const DELIVERIES: readonly CostlyText[] = [
  {
    name: 'names in a delivery',
    text: () => `{${Array.from({ length: 999_000 }, (_, n) => `"k${n}":1`).join()}}`,
    read: received,
    says: 'too many parts',
  },
  {
    name: 'objects with other names in a delivery',
    text: () => `[${listed(2400, (n) => `{${listed(120, (m) => `"${(n * 120 + m).toString(36)}x":1`)}}`)}]`,
    read: received,
    says: 'too many parts',
  },
  {
    name: 'numbers that are small and then fractions in a delivery',
    text: () => `[${listed(2400, (n) => `{${listed(120, (m) => `"k${Math.floor(n / 121)}_${m}":${m < n % 121 ? 1.5 : 1}`)}}`)}]`,
    read: received,
    says: 'too many parts',
  },
  {
    name: 'one large map again and again, in a delivery',
    text: () => `[${listed(60, () => `{${listed(4990, (n) => `"k${n}":1`)}}`)}]`,
    read: received,
  },
  { name: 'escapes in a delivery', text: () => `{"ref":"${repeated('\\u0041', DELIVERY)}"}`, read: received },
  { name: 'bytes that are no text in a delivery', text: () => `{"ref":"${repeated('\xff', DELIVERY)}"}`, read: received },
  { name: 'lists in lists in a delivery', text: () => `${repeated('[', 99_000)}${repeated(']', 99_000)}`, read: received },
  { name: 'a delivery that is one number', text: () => repeated('1', DELIVERY), read: received },
  { name: 'blanks in a delivery', text: () => repeated(' ', DELIVERY), read: received, says: 'neither JSON' },
  { name: 'commits with thousands of files', text: () => push(listed(2000, () => commit(listed(200, (n) => `"f${n}"`)))), read: received },
  {
    name: 'commits with ten thousand files each',
    text: () => push(listed(10, (c) => commit(listed(9000, (n) => `"${c}/f${n}"`)))),
    read: received,
  },
  {
    name: 'a form of spaces',
    text: () => `payload=${repeated('+', 8 * MIB - 10)}`,
    read: (text) => received(text, FORM),
    says: 'neither JSON',
  },
]

const PATHS = Array.from({ length: 5000 }, (_, n) => `${'a/'.repeat(20)}${n}`)
const judged = (patterns: string) => {
  const comparisons = newComparisons()
  const app = { git_branch: '', auto_deploy: 1, watch_paths: patterns } as const
  const of = { repositoryId: '1', repository: 'a/b', before: HASH, after: HASH, pushedAt: '', isDeleted: false, author: '' }
  const given = { ...of, defaultBranch: 'main', ref: 'refs/heads/main', paths: PATHS, message: 'x'.repeat(10_000) }
  let apps = 0
  for (; apps < 200 && comparisons.left > 0; apps += 1) whyNotDeployed(app, given, comparisons)
  return apps
}
const patternsOf = (pattern: (n: number) => string) => () => JSON.stringify(Array.from({ length: 50 }, (_, n) => pattern(n)))

const OTHERS: readonly CostlyText[] = [
  { name: 'watched paths of two hundred apps', text: patternsOf((n) => `${'a/'.repeat(20)}b${n}`), read: judged },
  { name: 'watched paths of wildcards', text: patternsOf((n) => `${'**/*'.repeat(40)}${n}`), read: judged },
  {
    name: 'branches of a repository',
    text: () => Array.from({ length: 100_000 }, (_, n) => `${HASH}\trefs/heads/b${n}\n`).join(''),
    read: (text) => createRefReader().add(Buffer.from(text)),
  },
  {
    name: 'names in a tree of git',
    text: () => repeated(`100644 blob ${HASH}       1\t${'a/'.repeat(100)}\0`, 16 * MIB),
    read: (text) => createTreeCheck(DEFAULT_LIMITS, { links: [], hasAttributes: false })(Buffer.from(text)),
  },
  {
    name: 'names in the answer of a git host',
    text: () => `{${Array.from({ length: 180_000 }, (_, n) => `"${n.toString(36)}x":1`).join()}}`,
    read: async (text) => await createGitHub(async () => ({ headers: {}, body: parseForeignJson(text), isLast: true })).whoAmI(),
    says: 'too many parts',
  },
  {
    name: 'entries in the answer of a git host',
    text: () => `[${listed(99_000, () => '{"id":1,"a":1}')}]`,
    read: async (text) => await createGitHub(async () => ({ headers: {}, body: parseForeignJson(text), isLast: true })).repositories('x'),
    says: 'not like a git host',
  },
]

const variables = createReadInput(operations['envs.replace'].body, 'body')
const compose = createReadInput(operations['stacks.setFile'].body, 'body')
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
/** Eight fields in an order that no other number below 8! has. */
const order = (n: number, left = NAMES): string[] => {
  const next = left[n % left.length]
  return next === undefined
    ? []
    : [
        `"${next}":1`,
        ...order(
          Math.floor(n / left.length),
          left.filter((name) => name !== next),
        ),
      ]
}

const REQUESTS: readonly CostlyText[] = [
  {
    name: 'names in a body',
    text: () => `{${listed(90_000, (n) => `"k${n}":1`)}}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'too many parts',
  },
  {
    name: 'objects with other names in a body',
    text: () => `{"projectId":1,"x":[${listed(90_000, (n) => `{"a${n}":1}`)}]}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'too many parts',
  },
  {
    name: 'names in other orders in a body',
    text: () => `[${listed(12_000, (n) => `{${order(n).join()}}`)}]`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'too many parts',
  },
  {
    name: 'names in other objects, as many as are read in a body',
    text: () => `{"appId":1,"variables":[${listed(99_000, (n) => `{"a${n % 4900}":1}`)}]}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'must be',
  },
  {
    name: 'lists in lists in a body',
    text: () => `{"appId":1,"variables":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'too many parts',
  },
  {
    name: 'lists in lists, as many as are read in a body',
    text: () => `{"appId":1,"variables":${'['.repeat(99_000)}${']'.repeat(99_000)}}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'must be',
  },
  {
    name: 'variables in a body',
    text: () => `{"appId":1,"variables":[${listed(30_000, (n) => `{"key":"A${n}","value":"x"}`)}]}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'must be',
  },
  {
    name: 'a prototype in a body',
    text: () => `{"appId":1,"variables":[${listed(900, () => '{"__proto__":{"key":"A"}}')}]}`,
    read: (text) => variables(jsonIn(Buffer.from(text))),
    says: 'must be',
  },
  {
    name: 'a long text in a body',
    text: () => `{"appId":1,"composeFile":"${repeated('x', 1900 * KIB)}"}`,
    read: (text) => compose(jsonIn(Buffer.from(text))),
    says: 'must be',
  },
  {
    name: 'cookies',
    text: () => repeated('berth_session=x;', 16 * KIB),
    read: (cookie) => [
      readSession({ headers: { cookie }, isTls: false }),
      strayCookies({ headers: { cookie, host: repeated('a.', 8 * KIB) }, url: repeated('/a', 8 * KIB), isTls: false }),
    ],
  },
  {
    name: 'certificates',
    text: () => repeated(`-----BEGIN CERTIFICATE-----\n${'MIIB'.repeat(20)}\n-----END CERTIFICATE-----\n`, 195 * KIB),
    read: (certificate) => {
      const checked = checkUpload({ host: 'a.example', certificate, key: certificate, now: new Date() })
      throw new Error('problem' in checked ? checked.problem : '')
    },
    says: 'chain is too long',
  },
  {
    name: 'beginnings of certificates',
    text: () => repeated('-----BEGIN CERTIFICATE-----', 195 * KIB),
    read: (certificate) => void checkUpload({ host: 'a.example', certificate, key: certificate, now: new Date() }),
  },
  {
    name: 'labels of a host name',
    text: () => repeated('a.', KIB),
    read: (host) => [hostProblem(host), parseCloneUrl(`https://${host}/x`), slugOf(host, 'app'), isBranchName(host), parseRepoPath(host)],
  },
  {
    name: 'blanks of a Link header',
    text: () => repeated('; ', 15 * KIB),
    read: async (link) => await createGitHub(async () => ({ headers: { link }, body: [], isLast: false })).branches('a/b'),
  },
  { name: 'parts of a path', text: () => repeated('/a', 16 * KIB), read: (url) => [isAmbiguousPath(url), createMissingRoute()(url)] },
]

export const COSTLY_REQUESTS: readonly CostlyText[] = [...DELIVERIES, ...OTHERS, ...REQUESTS]
