import { detect } from '../../src/builders/detect.ts'
import { summaryOf } from '../../src/builders/dockerfile-summary.ts'
import { withProcesses } from '../../src/builders/processes.ts'
import { projectAt, repositoryOf } from '../../src/builders/project.ts'
import type { TracePart } from '../../src/engine/build/buildkit-messages.ts'
import { createTraceReader } from '../../src/engine/build/buildkit-trace.ts'
import { LONGEST_DOCKERFILE_KIB, readDockerfile } from '../../src/engine/build/dockerfile.ts'
import { parseDockerignore } from '../../src/engine/build/dockerignore.ts'
import { failedStep } from '../../src/engine/build/failed-step.ts'
import { recordsIn } from '../../src/engine/build/tar-bytes.ts'
import { objectionTo } from '../../src/features/deployments/release/check-bases.ts'
import { refuseRegistries } from '../../src/features/deployments/release/check-registries.ts'
import { type CostlyText, KIB, listed, repeated } from './costly-text.ts'

const DOCKERFILE = LONGEST_DOCKERFILE_KIB * KIB - 100
/** Of a file that detection reads. */
const FILE = 127 * KIB
const settings = { installCommand: '', buildCommand: '', startCommand: '', outputDirectory: '' }

/** The plan of a repository in which each of these files has the text. */
const planned =
  (files: readonly string[], more: Readonly<Record<string, string>> = {}, root = '') =>
  (text: string) => {
    const project = projectAt(repositoryOf({ ...more, ...Object.fromEntries(files.map((file) => [file, text])) }), root)
    const found = detect(project, { settings, port: 3000, buildArgs: [] })
    return found && withProcesses(found.plan, project, [])
  }

const DOCKERFILES: readonly CostlyText[] = [
  {
    name: 'here-documents in a Dockerfile',
    text: () => repeated(`FROM x\n${'COPY <<A b\n'.repeat(100)}A\n`, DOCKERFILE),
    read: readDockerfile,
  },
  { name: 'steps in a Dockerfile', text: () => repeated('RUN a\n', DOCKERFILE), read: readDockerfile },
  { name: 'stages in a Dockerfile', text: () => `ARG A=a\n${repeated('FROM $A\n', DOCKERFILE)}`, read: readDockerfile },
  {
    name: 'images in a Dockerfile',
    text: () => repeated('FROM a\n', DOCKERFILE),
    read: async (text) => await refuseRegistries(readDockerfile(text), { refuseImage: async () => undefined, setBy: null }),
  },
  { name: 'lines in a line of a Dockerfile', text: () => `RUN ${repeated('\\\n', DOCKERFILE)}`, read: readDockerfile },
  { name: 'flags in a Dockerfile', text: () => `RUN ${repeated('--mount=a ', DOCKERFILE)}`, read: readDockerfile, says: '' },
  { name: 'blanks in a Dockerfile', text: () => `FROM a\nRUN ${repeated(' ', DOCKERFILE)}`, read: readDockerfile },
  { name: 'variables in a Dockerfile', text: () => `FROM a\nENV ${repeated('a=$a ', DOCKERFILE)}`, read: readDockerfile },
  { name: 'names of a variable in a Dockerfile', text: () => repeated(`ENV ${'a '.repeat(1000)}\n`, DOCKERFILE), read: readDockerfile },
  {
    name: 'nested variables in a Dockerfile',
    text: () => repeated(`ENV b=${'${a'.repeat(8)}${'}'.repeat(8)}\n`, DOCKERFILE),
    read: readDockerfile,
  },
  {
    name: 'arguments of a Dockerfile, for people',
    text: () => `${repeated('ARG A=b\n', DOCKERFILE)}FROM x`,
    read: (text) => summaryOf(text, { buildArgs: {}, target: '' }),
  },
  {
    name: 'ports of a Dockerfile, for people',
    text: () => `FROM x\n${repeated('EXPOSE 1 2 3 4 5 6 7 8 9\n', DOCKERFILE)}`,
    read: (text) => summaryOf(text, { buildArgs: {}, target: '' }),
  },
]

const read = async (text: string) => {
  const rules = parseDockerignore(text)
  for (let n = 0; n < 2; n += 1) await rules.isIgnored('a'.repeat(250))
}
const IGNORED: readonly CostlyText[] = [
  {
    name: 'classes in a .dockerignore',
    text: () =>
      repeated(
        `${Array.from({ length: 250 }, (_, n) => `[a${String.fromCharCode(256 + n)}]`)
          .join('')
          .slice(0, 1020)}\n`,
        63 * KIB,
      ),
    read,
    says: 'classes in brackets',
  },
  { name: 'brackets in a .dockerignore', text: () => repeated(`${'['.repeat(1020)}\n`, 63 * KIB), read, says: 'classes in brackets' },
  { name: 'directories in a .dockerignore', text: () => repeated(`${'**/'.repeat(340)}\n`, 63 * KIB), read },
  { name: 'rules in a .dockerignore', text: () => repeated('a\n', 63 * KIB), read, says: 'At most 1000' },
]

const DETECTED: readonly CostlyText[] = [
  {
    name: 'dependencies in a package.json',
    text: () => `{"dependencies":{${listed(12_000, (n) => `"a${n}":"1"`)}}}`,
    read: planned(['package.json'], { 'index.js': '' }),
    says: 'too many parts',
  },
  {
    name: 'objects with other names in a package.json',
    text: () => `{"a":[${listed(9000, (n) => `{"a${n}":1}`)}]}`,
    read: planned(['package.json'], { 'index.js': '' }),
    says: 'too many parts',
  },
  {
    name: 'objects with other names in a berth.json',
    text: () => `{"a":[${listed(9000, (n) => `{"a${n}":1}`)}]}`,
    read: planned(['berth.json'], { 'index.html': '' }),
    says: 'too many parts',
  },
  {
    name: 'a package.json in every parent directory',
    text: () => `{"dependencies":{${listed(4900, (n) => `"package-${n}":"^1.0"`)}}}`,
    read: planned(
      Array.from({ length: 250 }, (_, n) => `${'a/'.repeat(n)}package.json`),
      { [`${'a/'.repeat(249)}index.js`]: '' },
      'a/'.repeat(249).slice(0, -1),
    ),
  },
  {
    name: 'lines of Python',
    text: () => repeated('\n', FILE),
    read: planned(
      ['', 'src/', 'app/', 'api/'].flatMap((folder) =>
        ['main', 'app', 'server', 'wsgi', 'asgi', 'index'].map((name) => `${folder}${name}.py`),
      ),
    ),
  },
  {
    name: 'words in the requirements of Python',
    text: () => repeated('a ', FILE),
    read: planned(['requirements.txt', 'pyproject.toml', 'Pipfile'], { 'main.py': '' }),
  },
  { name: 'programs of a Cargo.toml', text: () => repeated('[[bin]]\n', FILE), read: planned(['Cargo.toml'], { 'src/main.rs': '' }) },
  { name: 'versions in a composer.json', text: () => `{"require":{"php":"${repeated('|7', FILE)}"}}`, read: planned(['composer.json']) },
  {
    name: 'packages of Go',
    text: () => `package main${repeated(' ', FILE)}x`,
    read: planned(
      Array.from({ length: 100 }, (_, n) => `a${n}.go`),
      { 'go.mod': '' },
    ),
  },
  {
    name: 'files of a project',
    text: () => Array.from({ length: 50_000 }, (_, n) => `public/${'x'.repeat(200)}/${(n * 7919) % 50_000}`).join('\n'),
    read: (text) => {
      const paths = new Set([...text.split('\n'), 'go.mod', 'main.go'])
      return detect(projectAt({ paths, texts: new Map() }, ''), { settings, port: 3000, buildArgs: [] })
    },
  },
  {
    name: 'processes of a Procfile',
    text: () => `web: x\n${Array.from({ length: 10_000 }, (_, n) => `a${n}: x\n`).join('')}`,
    read: planned(['Procfile'], { 'package.json': '{}' }),
  },
  {
    name: 'names in a rule of _redirects',
    text: () => `/${repeated(':a/', 60 * KIB)} /${repeated(':b', 60 * KIB)}\n`,
    read: planned(['_redirects'], { 'index.html': '' }),
  },
  {
    name: 'headers for a long path',
    text: () => `/${repeated(':a/', 100 * KIB)}\n${repeated(' X-A: b\n', 20 * KIB)}`,
    read: planned(['_headers'], { 'index.html': '' }),
  },
  {
    name: 'arguments in a berth.json',
    text: () => `{"buildArgs":{${listed(4900, (n) => `"A${n}":""`)}}}`,
    read: planned(['berth.json'], { 'index.html': '' }),
    says: 'buildArgs must be',
  },
  {
    name: 'a key of a berth.json',
    text: () => `{"${repeated('x', 120 * KIB)}":1}`,
    read: planned(['berth.json'], { 'index.html': '' }),
    says: 'is not a known setting',
  },
  {
    name: 'lists in lists in a berth.json',
    text: () => repeated('[\n', FILE),
    read: planned(['berth.json'], { 'index.html': '' }),
    says: 'not valid JSON',
  },
]

/** Reports as BuildKit sends them, several for each step. */
function readReports(steps: string): number {
  const reader = createTraceReader()
  let progress = 0
  for (const [n, name] of steps.split('\n').entries())
    for (const completedAt of [null, null, 2]) {
      const update = { digest: `d${n}`, name, isCached: false, startedAt: 1, completedAt, error: '' }
      reader.read({ kind: 'vertex', update } satisfies TracePart)
      progress = reader.progress()
    }
  return progress
}

export const COSTLY_BUILDS: readonly CostlyText[] = [
  ...DOCKERFILES,
  ...IGNORED,
  ...DETECTED,
  {
    name: 'reports about the steps of a build',
    text: () => Array.from({ length: 20_000 }, (_, n) => `[s${n} 1/1] RUN a`).join('\n'),
    read: readReports,
  },
  {
    name: 'output of a failed build',
    text: () => `${'#1 [a b] x\n'}${`#1 ERROR: ${repeated('cancele', 16 * KIB)}\n`.repeat(300)}`,
    read: (text) => failedStep(text.split('\n')),
  },
  {
    name: 'triggers of a base image',
    text: () => repeated('RUN a\n', 1900 * KIB),
    read: (text) => {
      throw new Error(objectionTo({ platform: 'linux/amd64', triggers: text.split('\n') }, 'linux/amd64') ?? '')
    },
    says: 'more than 200 steps',
  },
  {
    name: 'records in a header of an archive',
    text: () => repeated('5 a=\n', 4 * KIB * KIB),
    read: (text) => recordsIn(Buffer.from(text)),
  },
  {
    name: 'a record without a length in an archive',
    text: () => '0 a=\n',
    read: (text) => recordsIn(Buffer.from(text)),
    says: 'not valid',
  },
]
