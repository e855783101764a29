import { dockerfile, pathText, run, writeFile } from '../dockerfile-text.ts'
import { BuildProblem, type Project } from '../project.ts'
import { readHeaders } from './headers.ts'
import { nginxConfig, SITE_ROOT } from './nginx.ts'
import { readRedirects } from './redirects.ts'

const IMAGE = 'nginx:1-alpine'
/** The user that the image has for it. */
const NGINX_USER = '101:101'
const COMPRESSED = ['html', 'css', 'js', 'mjs', 'json', 'map', 'svg', 'xml', 'txt', 'wasm']
const MOST_CONFIG_BYTES = 60_000
const DEFAULT_PORT = 8080

type Site = {
  readonly port: number | null
  readonly isSinglePage: boolean
  /** `COPY` arguments: where the files come from. */
  readonly from: string
  /** Directories of the repository that may contain _redirects and _headers. */
  readonly places: readonly string[]
}

/** The last stage of an image that serves files. */
export function siteStage(project: Project, site: Site): { lines: string[]; notes: string[] } {
  const textOf = (name: string) => {
    const place = site.places.find((folder) => project.has(inFolder(folder, name)))
    return place === undefined ? '' : project.read(inFolder(place, name))
  }
  const redirects = readRedirects(textOf('_redirects'))
  const headers = readHeaders(textOf('_headers'))
  const config = nginxConfig({
    port: site.port ?? DEFAULT_PORT,
    isSinglePage: site.isSinglePage,
    redirects: redirects.rules,
    headers: headers.rules,
  })
  if (config.join('\n').length > MOST_CONFIG_BYTES)
    throw new BuildProblem(
      'The _redirects and _headers files are too long: together they may have about 500 rules. Shorten them, then deploy again.',
    )
  const names = COMPRESSED.map((ending) => `-name '*.${ending}'`).join(' -o ')
  const lines = [
    `FROM ${IMAGE}`,
    writeFile('/etc/nginx/nginx.conf', config),
    `COPY ${site.from} ${SITE_ROOT}/`,
    run(`find ${SITE_ROOT} -type f -size +1k \\( ${names} \\) -exec gzip -k -f -9 {} +`),
    `USER ${NGINX_USER}`,
    `EXPOSE ${site.port ?? DEFAULT_PORT}`,
    'STOPSIGNAL SIGQUIT',
    'ENTRYPOINT []',
    'CMD ["nginx", "-g", "daemon off;"]',
  ]
  return { lines, notes: [...redirects.notes, ...headers.notes] }
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** An image that serves files of the repository as they are. */
export function plainSite(project: Project, options: { directory: string; port: number | null }): { text: string; notes: string[] } {
  const directory = options.directory === '' ? '.' : `${pathText(options.directory, 'The output directory')}/`
  const { lines, notes } = siteStage(project, { port: options.port, isSinglePage: false, from: directory, places: [options.directory] })
  return { text: dockerfile(lines), notes }
}
