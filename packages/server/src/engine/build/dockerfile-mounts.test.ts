import { describe, expect, it } from 'vitest'
import { readDockerfile } from './dockerfile.ts'

const found = (text: string) => readDockerfile(text).cacheSubPaths.map(({ line, text: flag }) => `${line} ${flag}`)

describe('paths within caches that a Dockerfile mounts', () => {
  it.each([
    'RUN --mount=type=cache,target=/root/.npm npm ci',
    'RUN --mount=type=cache,id=pnpm,target=/pnpm/store,sharing=locked pnpm install',
    'RUN --mount=type=bind,source=package.json,target=package.json --mount=type=cache,target=/root/.npm npm ci',
    'RUN --mount=type=cache,target=/root/.npm \\\n    --mount=source=package.json,target=package.json \\\n    npm ci',
    'RUN --mount=type=bind,from=build,src=/out,target=/in cp -r /in /app',
    'RUN --mount=type=secret,source=key,target=/key true',
    'RUN --mount=type=cache,target=/c make --mount=type=cache,source=x',
    'RUN --mount=type=cache,target=/c echo "type=cache,source=x"',
    'RUN --mount=type=cache,target=/c -- --mount=type=cache,source=x',
    'COPY --mount=type=cache,source=x /a /b',
    '# RUN --mount=type=cache,source=x,target=/x true',
  ])('are none in %j', (text) => {
    expect(found(text)).toEqual([])
  })

  it.each([
    ['RUN --mount=type=cache,source=sub,target=/m ls', '1 --mount=type=cache,source=sub,target=/m'],
    ['run --mount=TYPE=Cache,SRC=sub,target=/m ls', '1 --mount=TYPE=Cache,SRC=sub,target=/m'],
    ['RUN --mount=source=sub,target=/m,type=cache ls', '1 --mount=source=sub,target=/m,type=cache'],
    ['RUN --mount=type=cache,source=,target=/m ls', '1 --mount=type=cache,source=,target=/m'],
    ['RUN --mount=type=cache,source=$X,target=/m ls', '1 --mount=type=cache,source=$X,target=/m'],
    ['RUN --mount=type=$X,source=sub,target=/m ls', '1 --mount=type=$X,source=sub,target=/m'],
    ['RUN --mount=type=bind,type=cache,source=sub,target=/m ls', '1 --mount=type=bind,type=cache,source=sub,target=/m'],
    ['RUN --mount=type=tmpfs,target=/t --mount=type=cache,src=a,target=/m ls', '1 --mount=type=cache,src=a,target=/m'],
    ['RUN --network=none --mount=type=cache,src=a,target=/m ls', '1 --mount=type=cache,src=a,target=/m'],
    ['RUN --mount="type=cache,source=a b,target=/m" ls', '1 --mount=type=cache,source=a b,target=/m'],
    ["RUN --mo'unt=type=ca'che,so\\urce=sub,target=/m ls", '1 --mount=type=cache,source=sub,target=/m'],
    ['RUN --mount=type=cache,\\"source=sub\\",target=/m ls', '1 --mount=type=cache,"source=sub",target=/m'],
    ['RUN --mount=type=cache,id="x --mount=",source=sub,target=/m ls', '1 --mount=type=cache,id=x --mount=,source=sub,target=/m'],
    ['RUN --mount=target=/\u00e0--mount=type=cache,source=sub,target=/m ls', '1 --mount=type=cache,source=sub,target=/m'],
    ['FROM a\nRUN --mount=type=cache,\\\n# why\n\nsource=sub,target=/m \\\n ls', '2 --mount=type=cache,source=sub,target=/m'],
    ['# escape=`\nRUN --mount=type=cache,so`\nurce=sub,target=/m ls', '2 --mount=type=cache,source=sub,target=/m'],
    ['# escape=`\nRUN --mount=type=ca`che,source=sub,target=/m ls', '2 --mount=type=cache,source=sub,target=/m'],
    ['ONBUILD RUN --mount=type=cache,source=sub,target=/m ls', '1 --mount=type=cache,source=sub,target=/m'],
    ['RUN <<EOF\nRUN --mount=type=cache,source=sub,target=/m ls\nEOF', '2 --mount=type=cache,source=sub,target=/m'],
    ['RUN --mount=type=cache,source=sub,target=/m <<EOF\nls\nEOF', '1 --mount=type=cache,source=sub,target=/m'],
    ['\u0085 RUN\t--mount=type=cache,source=sub,target=/m ls', '1 --mount=type=cache,source=sub,target=/m'],
  ])('%j', (text, flag) => {
    expect(found(text)).toContain(flag)
  })

  it('are found once, however many ways there are to read the file', () => {
    expect(found('FROM a\nRUN --mount=type=cache,source=sub,target=/m ls')).toHaveLength(1)
  })
})
