import { describe, expect, it } from 'vitest'
import { type BuildPlace, findSourceFiles, relevantTo } from './source-files.ts'

/** The result for all files, and for the relevant ones only. */
const look = (paths: readonly string[], where: Partial<BuildPlace> = {}) => {
  const place = { rootDirectory: '', dockerfilePath: '', ...where }
  const files = paths.map((path) => ({ path: path.replace(/@$/, ''), isLink: path.endsWith('@') }))
  const answer = findSourceFiles(files, place)
  expect(findSourceFiles(files.filter(relevantTo(place)), place)).toEqual(answer)
  return answer
}

describe('the Dockerfile', () => {
  it("is found at the top level, or at the path in the app's settings", () => {
    expect(look(['Dockerfile', 'a']).dockerfile).toEqual({ state: 'found', path: 'Dockerfile', others: [], reason: '' })
    const place = { rootDirectory: './apps//web/', dockerfilePath: 'build/App' }
    expect(look(['apps/web/build/App'], place).dockerfile).toMatchObject({ state: 'found', path: 'apps/web/build/App' })
  })

  it('if missing, lists other Dockerfiles, nearest to the top first', () => {
    const paths = ['x/y/Dockerfile', 'web/Dockerfile', 'prod.Dockerfile', 'dockerfile', 'Dockerfile.dev', 'Containerfile']
    const others = ['Containerfile', 'Dockerfile.dev', 'dockerfile', 'prod.Dockerfile', 'web/Dockerfile', 'x/y/Dockerfile']
    expect(look(paths).dockerfile).toEqual({ state: 'missing', path: 'Dockerfile', others, reason: '' })
    expect(look(['Dockerfile/README'], {}).dockerfile).toMatchObject({ state: 'missing', others: [] })
  })

  it("is not offered outside the app's root directory, or if its path is not allowed", () => {
    const strange = ['grüße/Dockerfile', '-x/Dockerfile', '$(id)/Dockerfile', 'a\nb/Dockerfile', 'link/Dockerfile@']
    const foreign = [
      'node_modules/x/Dockerfile',
      'a/vendor/x/Dockerfile',
      '.devcontainer/Dockerfile',
      'Dockerfile.dockerignore',
      'mydockerfile',
    ]
    expect(look([...strange, ...foreign]).dockerfile.others).toEqual([])
    expect(look(Array.from({ length: 30 }, (_, n) => `a${n}/Dockerfile`)).dockerfile.others).toHaveLength(8)
  })

  it('behind a link is unknown', () => {
    expect(look(['Dockerfile@']).dockerfile).toMatchObject({
      state: 'unknown',
      reason: 'Dockerfile is a symbolic link, which only a deployment follows.',
    })
    expect(look(['apps@'], { rootDirectory: 'apps/web' }).dockerfile).toMatchObject({ state: 'unknown', path: 'apps/web/Dockerfile' })
    expect(look(['app@'], { rootDirectory: 'apps' }).dockerfile.state).toBe('missing')
  })
})

describe('the Compose file', () => {
  it('is the first of its names that exists', () => {
    expect(look(['docker-compose.yml', 'compose.yml']).composeFile).toMatchObject({ state: 'found', path: 'compose.yml' })
    expect(look(['a/compose.yaml', 'compose.prod.yaml']).composeFile).toMatchObject({ state: 'missing', others: ['a/compose.yaml'] })
    expect(look(['a/compose.yaml'], { rootDirectory: 'a' }).composeFile).toMatchObject({ state: 'found', path: 'a/compose.yaml' })
  })
})

it('only files that can affect the result are kept', () => {
  const isOne = relevantTo({ rootDirectory: 'web', dockerfilePath: '' })
  const names = (isLink: boolean, paths: readonly string[]) => paths.filter((path) => isOne({ path, isLink }))
  expect(
    names(false, ['web/Dockerfile', 'a/Dockerfile', 'web', 'web/a.ts', 'node_modules/x/Dockerfile', `${'d'.repeat(600)}/Dockerfile`]),
  ).toEqual(['web/Dockerfile', 'a/Dockerfile'])
  expect(names(true, ['web', 'web/Dockerfile', 'a/Dockerfile', 'we'])).toEqual(['web', 'web/Dockerfile'])
})
