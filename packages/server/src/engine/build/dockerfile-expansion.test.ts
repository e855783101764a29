import { describe, expect, it } from 'vitest'
import { readDockerfile } from './dockerfile.ts'

const KB = 1024
const why = (text: string, buildArgs: Record<string, string> = {}) => readDockerfile(text, { buildArgs }).tooLong
const tenTimes = (reference: string) => reference.repeat(10)
const STEPS = [`ARG a=${'x'.repeat(100)}`, `ARG b=${tenTimes('$a')}`, `ARG c=${tenTimes('$b')}`, `ARG d=${tenTimes('$c')}`]
const BOMB = ['FROM x', ...STEPS, `LABEL l=${tenTimes('$d')}`].join('\n')

describe('the length of a Dockerfile with its variables filled in', () => {
  it.each([
    ['arguments', BOMB],
    ['arguments of all stages', BOMB.replace('FROM x', '').replace('LABEL', 'FROM x\nARG d\nLABEL')],
    ['variables', BOMB.replaceAll('ARG', 'ENV')],
    ['variables of a stage that another one stands on', BOMB.replaceAll('ARG', 'ENV').replace('ENV c', 'FROM y\nFROM x\nENV c')],
    ['the old form of ENV', BOMB.replaceAll(/ARG (.)=/g, 'ENV $1 ')],
    ['triggers', BOMB.replaceAll('ARG', 'ONBUILD ARG')],
    ['braces', BOMB.replaceAll(/\$(\w)/g, '${$1}')],
    ['defaults', BOMB.replaceAll(/\$(\w)/g, '${none:-$$$1}')],
    ['alternatives', BOMB.replaceAll(/\$(\w)/g, '${a:+$$$1}')],
    ['quotes', BOMB.replaceAll(/=(.*)$/gm, '="$1"')],
    [
      'several on a line',
      `FROM x\nENV a=1 ${BOMB.slice(7)
        .replaceAll(/ARG (.)/g, 'q=1 $1')
        .replaceAll('\n', ' ')
        .replace('LABEL', '\nLABEL')}`,
    ],
    ['several lines', BOMB.replaceAll('$', '\\\n$')],
    ['several lines of the other kind', `# escape=\`\n${BOMB.replaceAll('$', '`\n$')}`],
    ['names that are put together', BOMB.replaceAll(/ARG (.)=/g, 'ENV "$1"=')],
    ['replacements', `FROM x\nARG a=${'x'.repeat(500)}\nARG b=${'y'.repeat(500)}\nLABEL l=\${a//x/$b}`],
    ['the command of a step', BOMB.replace('LABEL l=', 'RUN echo ')],
    ['a file that is written', `${BOMB.split('\n').slice(0, -1).join('\n')}\nCOPY <<EOF /x\n${tenTimes('$d\n')}EOF`],
    ['plain text', `FROM x\nLABEL l=${'x'.repeat(1000 * KB)}`],
  ])('is found to be too long: %s', (_, text) => {
    expect(why(text)).toMatch(/^Line \d+ of the Dockerfile is longer than 64 KiB with its variables filled in/)
  })

  it('counts the arguments that the build is given', () => {
    const text = 'FROM x\nARG v=short\nLABEL l=$v'
    expect(why(text)).toBeNull()
    expect(why(text, { v: 'x'.repeat(100 * KB) })).toContain('Line 3 ')
  })

  it('counts all lines together', () => {
    const label = (count: number) => `FROM x\n${`LABEL l=${'x'.repeat(30 * KB)}\n`.repeat(count)}`
    expect(why(label(5))).toBeNull()
    expect(why(label(40))).toContain('The Dockerfile is too long')
  })
})

const ORDINARY = {
  node: 'ARG NODE=24\nFROM node:${NODE}-slim AS deps\nENV PNPM_HOME=/pnpm PATH=/pnpm:$PATH\nRUN --mount=type=cache,id=pnpm,target=/pnpm pnpm i\nFROM deps\nCOPY . .',
  manyPaths: `FROM x\n${'ENV PATH=/opt/some/tool/bin:$PATH\n'.repeat(50)}`,
  script: `FROM x\nRUN set -eux; \\\n${'  for f in "$x" "${y%.*}"; do echo "$f" "${f//./_}"; done; \\\n'.repeat(15)}  true`,
  versions:
    'ARG V=1.2.3\nFROM x:${V:-1}\nARG V\nENV URL=https://example.test/v${V}/tool-${V%.*}-linux-${TARGETARCH}.tgz\nADD $URL /tool.tgz\nLABEL version="$V"',
  labels: `FROM x\nARG SHA\nLABEL ${Array.from({ length: 30 }, (_, index) => `org.example.l${index}="built from $SHA"`).join(' \\\n  ')}`,
  config: "FROM nginx\nCOPY <<'EOF' /etc/nginx/conf.d/default.conf\nserver { listen 80; location / { proxy_set_header Host $host; } }\nEOF",
  stages: Array.from({ length: 30 }, (_, index) => `FROM x AS s${index}\nARG V\nENV LD=/usr/lib:$LD V=$V\nWORKDIR /app/$V`).join('\n'),
  embedded: `FROM x\nRUN echo ${'QUJD'.repeat(5000)} | base64 -d > /x`,
}

it.each(Object.entries(ORDINARY))('an ordinary Dockerfile is not too long: %s', (_, text) => {
  expect(why(text)).toBeNull()
})

it.each([
  ['open braces', () => '${'.repeat(250_000)],
  ['references', () => '$a'.repeat(250_000)],
  ['quotes', () => `ENV a=${'"'.repeat(499_999)}`],
  ['escapes', () => `ENV a=${'\\'.repeat(499_999)}b`],
  ['here-documents', () => `RUN ${'<<a '.repeat(125_000)}`],
  ['lines with here-documents', () => 'COPY <<a\n'.repeat(60_000)],
])('is refused when there are very many %s', (_, text) => {
  expect(why(text())).toMatch(/longer than 64 KiB|too long/)
})
