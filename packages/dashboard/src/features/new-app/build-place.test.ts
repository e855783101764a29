import { expect, it } from 'vitest'
import { placeOfComposeFile, placeOfDockerfile } from './build-place.ts'

it.each([
  ['apps/web/Dockerfile', 'apps/web', ''],
  ['apps/web/Dockerfile.prod', 'apps/web', 'Dockerfile.prod'],
  ['Dockerfile.prod', '', 'Dockerfile.prod'],
  ['Dockerfile', '', ''],
  ['docker/Dockerfile', '', 'docker/Dockerfile'],
  ['apps/web/.docker/App.Dockerfile', 'apps/web', '.docker/App.Dockerfile'],
])('builds %s in "%s" with "%s"', (path, rootDirectory, dockerfilePath) => {
  expect(placeOfDockerfile(path)).toEqual({ rootDirectory, dockerfilePath })
})

it('starts a Compose file in its folder', () => {
  expect(placeOfComposeFile('stack/compose.yaml').rootDirectory).toBe('stack')
  expect(placeOfComposeFile('compose.yml').rootDirectory).toBe('')
})
