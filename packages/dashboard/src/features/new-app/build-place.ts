type Place = { rootDirectory: string; dockerfilePath: string }

/** Folders that hold a Dockerfile for the folder above them, not an app. */
const BESIDE_THE_APP = /^\.?(docker|dockerfiles|build|deploy|deployment|ci)$/i

/** The settings that make a deployment use the file at this path. */
export function placeOfDockerfile(path: string): Place {
  const parts = path.split('/')
  const folders = parts.slice(0, -1)
  const root = folders.slice(0, BESIDE_THE_APP.test(folders.at(-1) ?? '') ? -1 : undefined)
  const dockerfile = parts.slice(root.length).join('/')
  return { rootDirectory: root.join('/'), dockerfilePath: dockerfile === 'Dockerfile' ? '' : dockerfile }
}

export function placeOfComposeFile(path: string): Place {
  return { rootDirectory: path.split('/').slice(0, -1).join('/'), dockerfilePath: '' }
}
